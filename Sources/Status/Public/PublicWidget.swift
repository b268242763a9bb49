// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The headline alone, as a small page for a frame on other pages. It leads to the whole page.
package struct PublicWidget {
  let picture: PublicPicture
  let language: PublicLanguage

  package init(picture: PublicPicture, language: PublicLanguage) {
    (self.picture, self.language) = (picture, language)
  }

  package func render(nonce: String) -> Markup {
    let words = language.words
    let headline = PublicHeadline(picture, words)
    let mark: Markup = headline.mark.isEmpty ? "" : "<i aria-hidden=\"true\">\(headline.mark)</i> "
    return """
      <!doctype html>
      <html lang="\(language.rawValue)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <noscript><meta http-equiv="refresh" content="60"></noscript>
      <title>\(Markup(name: picture.face.title))</title>
      <link rel="icon" href="data:,">
      <style nonce="\(nonce)">\(Self.style)</style>
      </head>
      <body data-gone="\(words.isNotUpdated)"><main><h1><a class="t-\(headline.tone.name)" href="\(picture.face.path)/?lang=\(language.rawValue)" target="_blank" rel="noopener">\
      \(mark)\(headline.sentence.markup(words))</a></h1></main>
      <script nonce="\(nonce)">\(Self.script)</script></body>
      </html>

      """
  }

  /// Two answers that did not come, or are another page such as a proxy's own, make its words those of a page that is not updated.
  private static let script: Markup = """
    let bad=0;const gone=()=>{if(++bad!==2)return;const a=document.querySelector('a');a.className='t-unknown';a.textContent='? '+document.body.dataset.gone};
    setInterval(async()=>{try{const r=await fetch(location.href,{signal:AbortSignal.timeout(30000)});if(!r.ok)return gone();
    const p=new DOMParser().parseFromString((await r.text()).replace(/<style[^]*?style>/,''),'text/html'),a=p.querySelector('h1>a[class^=t-]');
    if(!a)return gone();document.querySelector('h1').replaceWith(a.parentNode);bad=0}catch(e){gone()}},60000)
    """

  private static let style: Markup = """
    body{margin:0;font:.9375rem/1.4 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}h1{font:inherit;margin:0}
    a{display:block;padding:10px 14px;border-radius:8px;color:#fff;text-decoration:none;overflow-wrap:anywhere;border:2px solid transparent}
    a:focus-visible{outline:2px solid #fff;outline-offset:-4px}i{font-style:normal}
    .t-up{background:#15803d}.t-degraded{background:#b45309}.t-down{background:#b91c1c}.t-unknown{background:#4b5563}
    @media(forced-colors:active){a{border-color:CanvasText}}
    """
}

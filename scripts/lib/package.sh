# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
#
# What scripts/package makes its packages of, out of its here, output, version, deb_name, stripped and sbom. Sourced,
# never run.
#
# The same source gives the same bytes: times are those of the last commit, owners are root, names are sorted, modes are
# set here, and nothing depends on the folder, the locale, the clock or the number of cores.

# blank_section SECTION PROGRAM: writes zeros over what the section holds; it stays where it is, and as long.
blank_section() {
  local held=$output/section
  objcopy --dump-section "$1=$held" "$2" "$held.program"
  truncate --size 0 "$held.zeros"
  truncate --reference "$held" "$held.zeros"
  objcopy --update-section "$1=$held.zeros" "$2"
  rm "$held" "$held.program" "$held.zeros"
}

# put MODE FILE PLACE: one file of the package.
put() {
  mkdir -p "$(dirname "$tree$3")"
  install -m "$1" "$2" "$tree$3"
}

# The files that every kind of package has, below PREFIX (/usr).
lay_files() {
  local tree=$1 prefix=$2 file
  put 0755 "$stripped" "$prefix/bin/quartz-agent"
  for file in "$here"/deploy/man/*.[15]; do
    put 0644 "$file" "$prefix/share/man/man${file##*.}/$(basename "$file")"
  done
  # Sourced, never run: what it is run by does not belong into it.
  sed '1{/^#!/d}' "$here/deploy/completions/quartz-agent" >"$output/completion"
  put 0644 "$output/completion" "$prefix/share/bash-completion/completions/quartz-agent"
  put 0644 "$here/deploy/completions/_quartz-agent" "$prefix/share/zsh/vendor-completions/_quartz-agent"
  put 0644 "$here/deploy/completions/quartz-agent.fish" "$prefix/share/fish/vendor_completions.d/quartz-agent.fish"
  put 0644 "$here/agent.yaml.example" "$prefix/share/doc/quartz-agent/examples/agent.yaml"
  # Where hints and comments say docs/NAME.md and deploy/README.md.
  for file in "$here"/docs/*.md "$here"/docs/*.json; do
    put 0644 "$file" "$prefix/share/doc/quartz-agent/docs/$(basename "$file")"
  done
  put 0644 "$here/deploy/README.md" "$prefix/share/doc/quartz-agent/deploy/README.md"
  put 0644 "$here/deploy/prometheus/alerts.yml" "$prefix/share/doc/quartz-agent/examples/prometheus/alerts.yml"
  put 0644 "$here/deploy/prometheus/recording.yml" "$prefix/share/doc/quartz-agent/examples/prometheus/recording.yml"
  put 0644 "$here/deploy/prometheus/grafana-dashboard.json" \
    "$prefix/share/doc/quartz-agent/examples/prometheus/grafana-dashboard.json"
  put 0644 "$sbom" "$prefix/share/doc/quartz-agent/sbom.cdx.json"
}

# Without a name or a time inside, as Debian wants it.
pack() { gzip -9n "$@"; }

# Directories are 0755 whatever the umask; everything is as old as the source.
settle() {
  find "$1" -type d -exec chmod 0755 {} +
  find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

# The libraries that a program asks the loader for, as Debian's packages with the versions they need.
debian_depends() {
  local folder=$output/shlibs
  rm -rf "$folder"
  mkdir -p "$folder/debian"
  printf 'Source: quartz-agent\n\nPackage: quartz-agent\nArchitecture: any\n' >"$folder/debian/control"
  (cd "$folder" && dpkg-shlibdeps -O "$stripped" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

make_deb() {
  local tree=$output/deb doc size
  say "the Debian package"
  rm -rf "$tree"
  lay_files "$tree" /usr
  put 0644 "$here/deploy/agent.yaml" /etc/quartz-agent/agent.yaml
  put 0644 "$here/deploy/systemd/quartz-agent.sysusers" /usr/lib/sysusers.d/quartz-agent.conf
  local unit
  for unit in quartz-agent.service quartz-agent@.service; do
    sed 's|/usr/local/bin/|/usr/bin/|' "$here/deploy/systemd/$unit" >"$output/$unit"
    put 0644 "$output/$unit" "/lib/systemd/system/$unit"
  done
  doc=$tree/usr/share/doc/quartz-agent
  put 0644 "$here/deploy/debian/lintian-overrides" /usr/share/lintian/overrides/quartz-agent
  put 0644 "$here/deploy/debian/copyright" /usr/share/doc/quartz-agent/copyright
  put 0644 "$here/CHANGELOG.md" /usr/share/doc/quartz-agent/changelog
  put 0644 "$here/deploy/debian/changelog" /usr/share/doc/quartz-agent/changelog.Debian
  pack "$doc/changelog" "$doc/changelog.Debian" "$tree"/usr/share/man/man?/*
  size=$(du -k --apparent-size -s "$tree" | cut -f1)
  mkdir -p "$tree/DEBIAN"
  sed -e "s|@VERSION@|$version-1|" -e "s|@ARCHITECTURE@|$(dpkg --print-architecture)|" -e "s|@SIZE@|$size|" \
    -e "s|@DEPENDS@|$(debian_depends)|" "$here/deploy/debian/control" >"$tree/DEBIAN/control"
  install -m 0644 "$here/deploy/debian/conffiles" "$tree/DEBIAN/conffiles"
  install -m 0755 "$here"/deploy/debian/{postinst,prerm,postrm} "$tree/DEBIAN/"
  (cd "$tree" && find usr lib -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
  chmod 0644 "$tree/DEBIAN/control" "$tree/DEBIAN/md5sums"
  settle "$tree"
  # One thread: how a block is cut must not depend on the number of cores.
  dpkg-deb --root-owner-group --threads-max=1 -Zxz --build "$tree" "$output/$deb_name" >/dev/null
}

make_tar() {
  local name tree
  name=quartz-agent-$version-linux-$(uname -m)
  say "the archive"
  tree=$output/tar/$name
  rm -rf "$output/tar"
  lay_files "$tree" ""
  put 0644 "$here/deploy/agent.yaml" /etc/agent.yaml
  put 0644 "$here/deploy/systemd/quartz-agent.service" /systemd/quartz-agent.service
  put 0644 "$here/deploy/systemd/quartz-agent@.service" /systemd/quartz-agent@.service
  put 0644 "$here/deploy/systemd/quartz-agent.sysusers" /systemd/quartz-agent.sysusers
  put 0644 "$here/LICENSE" /LICENSE
  put 0644 "$here/deploy/README.md" /README.md
  lay_libraries "$tree"
  settle "$output/tar"
  tar --create --directory "$output/tar" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu \
    --mtime="@$SOURCE_DATE_EPOCH" "$name" | pack >"$output/$name.tar.gz"
}

# The program with every library that it is linked with, and their loader: it needs nothing of the machine but a
# kernel, so it also starts where the C library is older than the one it was built with.
lay_libraries() {
  local root=$1 library
  mkdir -p "$root/lib"
  while read -r library; do
    install -m 0644 "$library" "$root/lib/$(basename "$library")"
  done < <(libraries)
  # Opened by name, by import alone; the machine's own may ask for a newer C library than the one here.
  install -m 0644 "/usr/lib/$(uname -m)-linux-gnu/libsqlite3.so.0" "$root/lib/"
  chmod 0755 "$root/lib/$(basename "$(loader)")"
  mv "$root/bin/quartz-agent" "$root/lib/quartz-agent"
  sed "s|@LOADER@|$(basename "$(loader)")|" "$here/deploy/tar/quartz-agent" >"$output/launcher"
  install -m 0755 "$output/launcher" "$root/bin/quartz-agent"
}

# Paths of all shared libraries and the loader, links followed by whoever copies them. Not what this shell was given to
# load before them.
libraries() {
  LD_PRELOAD='' ldd "$stripped" | sed -n -e 's|.* => \(/[^ ]*\) .*|\1|p' -e 's|^[[:space:]]*\(/[^ ]*\) (.*|\1|p' | LC_ALL=C sort -u
}

loader() { libraries | grep '/ld-linux'; }

# What a container's root holds: the program, its libraries, the authorities, the time zones, one user. No shell, no
# package manager, nothing that can be written to but the volume.
make_root() {
  local tree=$output/root library
  say "the container's root"
  rm -rf "$tree"
  put 0755 "$stripped" /usr/bin/quartz-agent
  while read -r library; do
    put 0644 "$library" "/usr$(realpath --no-symlinks "$library" | sed 's|^/usr||')"
  done < <(libraries)
  chmod 0755 "$tree/usr$(loader | sed 's|^/usr||')"
  ln -s usr/lib "$tree/lib"
  [[ ! -d $tree/usr/lib64 ]] || ln -s usr/lib64 "$tree/lib64"
  put 0644 /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
  mkdir -p "$tree/usr/share"
  cp -a --no-preserve=ownership /usr/share/zoneinfo "$tree/usr/share/"
  # Twice the same zones under other names, with leap seconds and as POSIX has them: nothing here reads them.
  rm -rf "$tree/usr/share/zoneinfo/"{right,posix,posixrules,localtime}
  printf 'root:x:0:0::/:/\nquartz-agent:x:10001:10001::/var/lib/quartz-agent:/\n' >"$output/passwd"
  printf 'root:x:0:\nquartz-agent:x:10001:\n' >"$output/group"
  printf 'passwd: files\ngroup: files\nhosts: files dns\n' >"$output/nsswitch.conf"
  put 0644 "$output/passwd" /etc/passwd
  put 0644 "$output/group" /etc/group
  put 0644 "$output/nsswitch.conf" /etc/nsswitch.conf
  put 0644 "$sbom" /usr/share/doc/quartz-agent/sbom.cdx.json
  put 0644 "$here/LICENSE" /usr/share/doc/quartz-agent/LICENSE
  mkdir -p "$tree"/{etc/quartz-agent,proc,dev,sys,tmp,run,var/lib/quartz-agent}
  settle "$tree"
  chmod 1777 "$tree/tmp"
  chmod 0700 "$tree/var/lib/quartz-agent"
  touch --date="@$SOURCE_DATE_EPOCH" "$tree/var/lib/quartz-agent" "$tree/tmp"
  root_archive "$tree" >"$output/quartz-agent-$version-root.tar.gz"
}

# The volume's folder belongs to the agent, everything else to root: two runs of tar, one archive.
root_archive() {
  local -a same=(--sort=name --numeric-owner --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --directory "$1")
  tar --create "${same[@]}" --owner=0 --group=0 --exclude=./var/lib/quartz-agent --file "$output/root.tar" .
  tar --append "${same[@]}" --owner=10001 --group=10001 --file "$output/root.tar" ./var/lib/quartz-agent
  pack --stdout "$output/root.tar"
  rm "$output/root.tar"
}

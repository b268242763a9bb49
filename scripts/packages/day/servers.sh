#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The servers of the day of scripts/packages/day.sh, as root in its machine: nginx, knot, unbound, redis, memcached, sshd and
# aiosmtpd, with certificates of a company's own authority, which the machine trusts. Run by day.sh, never by hand.
set -euo pipefail
cd /root
pki=/etc/pki-of-corp
mkdir -p $pki
openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=Corp CA" -keyout $pki/ca.key -out $pki/ca.crt 2>/dev/null
# certificate NAME KEY DAYS HOST...
certificate() {
  local name=$1 days=$3 names
  local -a key
  read -ra key <<<"$2"
  shift 3
  names=$(printf 'DNS:%s,' "$@")
  openssl req -newkey "${key[@]}" -nodes -subj "/CN=$1" -keyout "$pki/$name.key" -out "$pki/$name.csr" 2>/dev/null
  openssl x509 -req -days "$days" -in "$pki/$name.csr" -CA $pki/ca.crt -CAkey $pki/ca.key -CAcreateserial -out "$pki/$name.crt" \
    -extfile <(echo "subjectAltName=${names%,}") 2>/dev/null
}
certificate shop rsa:2048 90 shop.corp.example api.corp.example www.corp.example intranet.corp.example
certificate wiki-rsa rsa:2048 90 wiki.corp.example
certificate wiki-ecdsa "ec -pkeyopt ec_paramgen_curve:P-256" 60 wiki.corp.example
certificate mail rsa:2048 90 mail.corp.example
cp $pki/ca.crt /usr/local/share/ca-certificates/corp.crt
update-ca-certificates >/dev/null 2>&1

cat >/etc/nginx/sites-enabled/default <<'NGINX'
server {
  listen 80 default_server; listen [::]:80 default_server;
  server_name _;
  location = /stub { stub_status; }
  location / { return 301 https://$host$request_uri; }
}
server {
  listen 443 ssl http2 default_server; listen [::]:443 ssl http2 default_server;
  server_name shop.corp.example;
  ssl_certificate /etc/pki-of-corp/shop.crt; ssl_certificate_key /etc/pki-of-corp/shop.key;
  root /var/www/shop;
  default_type text/html;
  gzip on; gzip_min_length 1; gzip_types *;
  location = /health { default_type application/json; return 200 '{"database": "up", "queue": {"depth": 3}}'; }
  location = /search { default_type text/plain; if ($request_method != POST) { return 405; } return 200 '3 results'; }
  location = /retired { return 410; }
}
server {
  listen 443 ssl http2; listen [::]:443 ssl http2;
  server_name api.corp.example;
  ssl_certificate /etc/pki-of-corp/shop.crt; ssl_certificate_key /etc/pki-of-corp/shop.key;
  default_type application/json;
  add_header X-Version "2.7.1" always;
  location = /orders { if ($http_authorization != "Bearer orders-token") { return 401 '{"error": "token"}'; } return 200 '{"orders": [1, 2, 3]}'; }
  location = /version { return 200 '{"version": "2.7.1"}'; }
}
server {
  listen 443 ssl http2; listen [::]:443 ssl http2;
  server_name www.corp.example;
  ssl_certificate /etc/pki-of-corp/shop.crt; ssl_certificate_key /etc/pki-of-corp/shop.key;
  root /var/www/www;
  charset iso-8859-1;
}
server {
  listen 443 ssl http2; listen [::]:443 ssl http2;
  server_name intranet.corp.example;
  ssl_certificate /etc/pki-of-corp/shop.crt; ssl_certificate_key /etc/pki-of-corp/shop.key;
  root /var/www/www;
  auth_basic "intranet"; auth_basic_user_file /etc/nginx/users;
}
server {
  listen 443 ssl http2; listen [::]:443 ssl http2;
  server_name wiki.corp.example;
  ssl_certificate /etc/pki-of-corp/wiki-rsa.crt; ssl_certificate_key /etc/pki-of-corp/wiki-rsa.key;
  ssl_certificate /etc/pki-of-corp/wiki-ecdsa.crt; ssl_certificate_key /etc/pki-of-corp/wiki-ecdsa.key;
  root /var/www/www;
}
NGINX
echo "monitor:$(openssl passwd -apr1 intranet-password)" >/etc/nginx/users
mkdir -p /var/www/shop /var/www/www
echo '<html><title>Shop</title><body>Welcome to the shop</body></html>' >/var/www/shop/index.html
head -c 300000 /dev/zero | tr '\0' x >/var/www/shop/catalogue.txt
printf '<html><body>Alles verf\374gbar, keine St\366rung</body></html>\n' >/var/www/www/index.html
systemctl restart nginx

cat >/etc/knot/knot.conf <<'KNOT'
server:
    rundir: "/run/knot"
    user: knot:knot
    listen: [ 127.0.0.1@5300, ::1@5300 ]
database:
    storage: "/var/lib/knot"
zone:
  - domain: corp.example
    file: "/var/lib/knot/corp.zone"
    semantic-checks: off
KNOT
cat >/var/lib/knot/corp.zone <<'ZONE'
$ORIGIN corp.example.
$TTL 300
@ SOA ns hostmaster 2026112801 3600 600 86400 300
@ NS ns
@ MX 10 mail
@ TXT "v=spf1 mx -all"
@ CAA 0 issue "ca.corp.example"
ns A 127.0.0.1
shop A 127.0.0.1
shop A 127.0.0.2
api A 127.0.0.1
www CNAME web
web CNAME web-1
web-1 A 127.0.0.1
intranet A 127.0.0.1
wiki A 127.0.0.1
mail A 127.0.0.1
db A 127.0.0.1
_sip._tcp SRV 0 5 5060 sip
sip A 127.0.0.1
ZONE
for hop in 1 2 3 4 5 6 7 8 9; do echo "chain-$hop CNAME $([[ $hop == 9 ]] && echo shop || echo chain-$((hop + 1)))"; done >>/var/lib/knot/corp.zone
chown knot:knot /var/lib/knot/corp.zone
systemctl restart knot

rm -f /etc/unbound/unbound.conf.d/root-auto-trust-anchor-file.conf
cat >/etc/unbound/unbound.conf.d/corp.conf <<'UNBOUND'
server:
  do-not-query-localhost: no
  module-config: "iterator"
  ede: yes
stub-zone:
  name: "corp.example."
  stub-addr: 127.0.0.1@5300
UNBOUND
# It has failed at boot, for want of a trust anchor, as often as systemd lets it.
systemctl reset-failed unbound || true
systemctl restart unbound
echo "nameserver 127.0.0.1" >/etc/resolv.conf

systemd-run --quiet --unit=mail-sink python3 -m aiosmtpd -n -l 127.0.0.1:25 --tlscert $pki/mail.crt --tlskey $pki/mail.key \
  --no-requiretls -c aiosmtpd.handlers.Mailbox /var/mail/ops
systemctl is-active nginx knot unbound redis-server memcached ssh mail-sink

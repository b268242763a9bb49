# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
#
# The Debian packages each command needs, and what for. Sourced, never run.

build_packages="
libncurses6              the Swift toolchain runs on it
libsqlite3-0             the Swift package manager runs on it
libxml2                  the Swift package manager and linker run on it
ca-certificates          the authorities https checks trust
git                      fetches the Swift packages
binutils                 links
gcc                      start-up files and libgcc for linking
libc6-dev                C headers
libstdc++-12-dev         the C++ library Swift's runtime links
zlib1g-dev               Swift's Foundation links it; compressed answers
libcurl4-openssl-dev     http checks and delivery
libbrotli-dev            compressed answers
libzstd-dev              compressed answers
libssl-dev               TLS
libpcre2-dev             patterns in conditions and dialogs
libyaml-dev              agent.yaml
libidn2-dev              host names in the letters of other scripts
"

test_packages="
nginx-light              a real web server to probe
prometheus               scrapes the agent; promtool checks metrics and rules
knot                     a real authoritative name server to probe
knot-dnsutils            kdig, the second opinion on DNS answers
unbound                  a real resolver to probe
openssh-server           a real server with a banner to probe
openssl                  certificates and TLS servers to probe
postfix                  a real SMTP server for dialogs and STARTTLS
dovecot-imapd            a real IMAP server for dialogs and STARTTLS
dovecot-pop3d            a real POP3 server for dialogs and STARTTLS
vsftpd                   a real FTP server for dialogs and STARTTLS
slapd                    a real LDAP server for dialogs and STARTTLS
prosody                  a real XMPP server for STARTTLS
mariadb-server           a real MySQL server for dialogs and STARTTLS
redis-server             a real Redis server for dialogs
memcached                a real memcached for dialogs
mosquitto                a real MQTT broker for dialogs
curl                     asks the status page as a stranger would
procps                   process facts in binary-level tests
postgresql-15            a real database for the backend's ingest function
node-typescript          checks the types of the backend's route
nodejs                   runs the backend's route in tests, which take nothing from the network
iproute2                 addresses and routes in network namespaces
nftables                 loss and refusals in network namespaces
tzdata                   the time zones of maintenance windows
tinyproxy                a real HTTP proxy to probe through
microsocks               a real SOCKS 5 proxy to probe through
lighttpd                 digest authentication to probe
nghttp2-server           HTTP/2 without TLS to probe
brotli                   compressed bodies
zstd                     compressed bodies
tmux                     a real terminal of any width
mandoc                   holds the manual against what man(1) reads
zsh                      loads its completions
libmonitoring-plugin-perl  a real parser of what Nagios plugins print
etcd-server              a real store for a group of agents
etcd-client              its users, roles and faults as an operator makes them
"

memory_packages="
valgrind                 sees memory errors of the C libraries
"

api_packages="
python3                  runs schemathesis
python3-venv             holds schemathesis, from PyPI
"

page_packages="
chromium                 a real browser, which looks at the status page
firefox-esr              another one, of another maker
fonts-dejavu-core        letters of other scripts in it
python3                  drives the browser
python3-venv             installs axe-core, from PyPI
"

probe_packages="
python3                       asks both
prometheus-blackbox-exporter  what /probe is compared with
nginx-light                   web servers to probe
knot                          a name server to probe
openssh-server                a server with a banner to probe
postfix                       a mail server to probe
dovecot-imapd                 a mail server to probe
redis-server                  a server of lines to probe
openssl                       certificates and a TLS server to probe
"

trace_packages="
python3                  compares, and is the server that is traced
traceroute               what trace is compared with
mtr-tiny                 what trace is compared with
iproute2                 makes the networks
nftables                 breaks them
"

group_packages="
python3                  makes the faults, and judges
etcd-server              what the agents of a group meet in
etcd-client              its users, compactions, alarms and leader
iproute2                 a network for each of them
nftables                 cuts them off from each other
openssl                  certificates of the store and the backend
gcc                      the wall clock of an agent that is apart
libc6-dev                C headers
curl                     reads an agent's metrics
"

loop_packages="
python3                  makes the histories, and judges
python3-venv             holds Deno, from PyPI
postgresql-15            a real database for the backend's functions
"

channel_packages="
python3                  runs aiosmtpd
python3-venv             holds aiosmtpd, from PyPI
openssl                  certificates of the mail servers
prometheus-alertmanager  a real Alertmanager to be told
curl                     waits until it is ready
"

alert_packages="
python3                  receivers that record
prometheus               the shipped rules, through a rolling restart
prometheus-alertmanager  a real Alertmanager to be told
chromium                 the incident's page on a phone
etcd-server              what the agents of a group meet in
gcc                      a wall clock that is set
libc6-dev                C headers
"

package_packages="
dpkg-dev                 knows which package has which library
python3                  writes the bill of materials
libsqlite3-0             what import reads Uptime Kuma's database with, for the archive
tzdata                   time zones for the container
xz-utils                 packs
"

package_test_packages="
lintian                  reads the Debian package as Debian does
mmdebstrap               makes the clean systems that it is installed in
bubblewrap               runs the container's root without an engine
python3-seccomp          makes the filter of system calls for it
"

manifest_packages="
kubernetes-client         puts the manifests together, without a cluster
"

reproduce_packages="
disorderfs                gives the names in a folder in the opposite order
diffoscope                says how two files differ
faketime                  another clock
"

ci_packages="
shellcheck               lints the shell scripts
"

plant_packages="
python3                  plants mistakes and runs the tests on them
"

benchmark_packages="
gcc                      the C loops we are measured against
python3                  drives the runs and compares
openssl                  certificates
nginx-light              the http target
knot                     the DNS target
dnsperf                  the DNS yardstick
fping                    the ping yardstick
wrk                      loads blackbox_exporter; what a request costs at least
curl                     a program that is asked to do the same
prometheus-blackbox-exporter  the prober most people use
"

# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# A network of eight routers in a row, and ways to break it, in namespaces that end with this process:
#
#   unshare -m -n sh scripts/trace/lab.sh
#
# says "ready", then runs each line that it reads and says "ok" or "failed". The tests of tracing and scripts/prove-trace
# both talk to it. This process is in the client's namespace.
#
#                        +-- q3 --- q4 --+
#   c --- r1 --- r2 --+  |               |  +-- r5 --- r6 --- r7 --- r8 --- s
#                     +--+-- r3 --- r4 --+--+           |
#                     |                                 |
#                     +--- x4 --- x3 --- x2 --- x1 -----+      (the long way back)
#
# Link 3 is r2-r3, 13 r2-q3, 21 r6-x1. The left end of link L is 10.77.L.1 and fd77:L::1, the right one .2 and ::2,
# so that hop n answers with 10.77.n.2.
set -eu

links='1:c:r1 2:r1:r2 3:r2:r3 4:r3:r4 5:r4:r5 6:r5:r6 7:r6:r7 8:r7:r8 9:r8:s
13:r2:q3 14:q3:q4 15:q4:r5 21:r6:x1 22:x1:x2 23:x2:x3 24:x3:x4 25:x4:r2'
nodes='r1 r2 r3 r4 r5 r6 r7 r8 s q3 q4 x1 x2 x3 x4'

# at NODE COMMAND: in that node's namespace.
at() {
  node=$1
  shift
  if [ "$node" = c ]; then "$@"; else ip netns exec "$node" "$@"; fi
}

# ipn NODE ARGUMENTS: ip(8) there.
ipn() {
  node=$1
  shift
  if [ "$node" = c ]; then ip "$@"; else ip -n "$node" "$@"; fi
}

# knob NODE PATH VALUE: a sysctl of that namespace.
knob() { at "$1" sh -c "echo '$3' > /proc/sys/net/$2"; }

# By addresses, protocol and ports as they stand in the packet (policy 3): by policy 1 a kernel believes the hash that
# the sender's socket left beside it, which no wire would carry.
# The routers limit nothing, unless a fault says so; conf/all before any interface is there.
# shellcheck disable=SC2016
tune='cd /proc/sys/net
echo 1 > ipv4/ip_forward; echo 0 > ipv4/icmp_ratelimit; echo 0 > ipv4/conf/all/rp_filter; echo 0 > ipv4/conf/default/rp_filter
echo 1 > ipv6/conf/all/forwarding; echo 0 > ipv6/icmp/ratelimit; echo 3 > ipv4/fib_multipath_hash_policy
echo 55 > ipv4/fib_multipath_hash_fields; echo 3 > ipv6/fib_multipath_hash_policy; echo 55 > ipv6/fib_multipath_hash_fields
echo 0 > ipv4/conf/all/send_redirects; echo 0 > ipv4/conf/default/send_redirects
for all in all default; do echo 0 > ipv6/conf/$all/accept_dad; echo 0 > ipv6/conf/$all/dad_transmits; echo 0 > ipv6/conf/$all/accept_ra; done
[ ! -e ipv4/icmp_msgs_per_sec ] || echo 100000 > ipv4/icmp_msgs_per_sec 2>/dev/null || :
[ ! -e ipv4/icmp_msgs_burst ] || echo 10000 > ipv4/icmp_msgs_burst 2>/dev/null || :
ip link set lo up'

# wire LINK:LEFT:RIGHT
wire() {
  id=${1%%:*}
  left=${1#*:}
  right=${left#*:}
  left=${left%%:*}
  far=$right
  near="netns $left"
  [ "$left" != c ] || near=
  # shellcheck disable=SC2086
  ip link add "l$id" $near type veth peer name "l$id" netns "$far"
  ipn "$left" -batch - <<END
addr add 10.77.$id.1/24 dev l$id
addr add fd77:$id::1/64 dev l$id nodad
link set l$id up
END
  ipn "$right" -batch - <<END
addr add 10.77.$id.2/24 dev l$id
addr add fd77:$id::2/64 dev l$id nodad
link set l$id up
END
}

# route NODE NEXT BACK: where all goes, and the way back to the client; each is LINK.END.
route() {
  [ -z "$2" ] || ipn "$1" -batch - <<END
route add default via 10.77.$2
route add default via fd77:${2%.*}::${2#*.}
END
  [ -z "${3-}" ] || ipn "$1" -batch - <<END
route add 10.77.1.0/24 via 10.77.$3
route add fd77:1::/64 via fd77:${3%.*}::${3#*.}
END
}

build() {
  mount --make-rprivate /
  mkdir -p /run/netns
  mount -t tmpfs tmpfs /run/netns
  sh -ec "$tune"
  echo '0 2147483647' > /proc/sys/net/ipv4/ping_group_range
  for node in $nodes; do
    ip netns add "$node"
    ip netns exec "$node" sh -ec "$tune"
  done
  for link in $links; do wire "$link"; done
  route c 1.2
  route r1 2.2
  for node in 2 3 4 5 6 7 8; do route "r$node" "$((node + 1)).2" "$node.1"; done
  # Where rewritten addresses come from: see break_nat.
  for number in 5 6 7 8; do
    ipn "r$number" route add 10.77.4.0/24 via "10.77.$number.1"
    ipn "r$number" route add fd77:4::/64 via "fd77:$number::1"
  done
  route q3 14.2 13.1
  route q4 15.2 14.1
  route x1 '' 22.2
  route x2 '' 23.2
  route x3 '' 24.2
  route x4 '' 25.2
  route s 9.1
}

# Until packets come to the server over IPv6, whose neighbours take a moment to know each other.
warm() {
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    case $(LC_ALL=C timeout 0.5 bash -c ': > /dev/tcp/fd77:9::2/9' 2>&1) in *refused*) return ;; esac
  done
  return 1
}

# rules NODE TEXT: the filter of that node.
rules() { at "$1" nft -f - <<END
table inet fault {
$2
}
END
}

# --- what can be broken: break_NAME, and mend_NAME puts it right ---

# Answers once a second and sender, after a burst (RFC 1812 4.3.2.8).
break_limits() { knob r4 ipv4/icmp_ratelimit 1000; knob r4 ipv6/icmp/ratelimit 1000; }
mend_limits() { knob r4 ipv4/icmp_ratelimit 0; knob r4 ipv6/icmp/ratelimit 0; }

break_silent() {
  rules r4 'chain o { type filter hook output priority 0; icmp type time-exceeded drop; icmpv6 type time-exceeded drop; }'
}
mend_silent() { unrule r4; }

break_asymmetric() {
  ipn r6 route replace 10.77.1.0/24 via 10.77.21.2
  ipn r6 route replace fd77:1::/64 via fd77:21::2
}
mend_asymmetric() {
  ipn r6 route replace 10.77.1.0/24 via 10.77.6.1
  ipn r6 route replace fd77:1::/64 via fd77:6::1
}

break_balanced() {
  ipn r2 route replace default nexthop via 10.77.3.2 nexthop via 10.77.13.2
  ipn r2 -6 route del default
  ipn r2 -6 route add default nexthop via fd77:3::2 nexthop via fd77:13::2
}
mend_balanced() {
  ipn r2 route replace default via 10.77.3.2
  ipn r2 -6 route del default
  ipn r2 -6 route add default via fd77:3::2
}

break_narrow() { ipn r5 link set l6 mtu 1400; ipn r6 link set l6 mtu 1400; }
mend_narrow() { ipn r5 link set l6 mtu 1500; ipn r6 link set l6 mtu 1500; }

# As before, and the router keeps to itself why it drops.
break_hole() {
  break_narrow
  rules r5 'chain o { type filter hook output priority 0; icmp type destination-unreachable drop; icmpv6 type packet-too-big drop; }'
}
mend_hole() { unrule r5; mend_narrow; }

break_drop() { rules r4 'chain f { type filter hook forward priority 0; iifname "l4" meta l4proto tcp drop; }'; }
mend_drop() { unrule r4; }

break_wall() { rules r4 'chain f { type filter hook forward priority 0; iifname "l4" drop; }'; }
mend_wall() { unrule r4; }

break_prohibited() {
  rules r4 'chain f { type filter hook forward priority 0; iifname "l4" reject with icmpx type admin-prohibited; }'
}
mend_prohibited() { unrule r4; }

break_reset() {
  rules r4 'chain f { type filter hook forward priority 0; iifname "l4" meta l4proto tcp reject with tcp reset; }'
}
mend_reset() { unrule r4; }

# The client's address becomes r3's, and 10.77.99.2, which nobody has, the server's.
break_nat() {
  rules r3 'chain p { type nat hook postrouting priority 100; oifname "l4" masquerade; }'
  rules r5 'chain d { type nat hook prerouting priority -100; ip daddr 10.77.99.2 dnat ip to 10.77.9.2; ip6 daddr fd77:99::2 dnat ip6 to fd77:9::2; }'
}
mend_nat() { unrule r3; unrule r5; }

break_loop() {
  ipn r6 route replace default via 10.77.6.1
  ipn r6 -6 route replace default via fd77:6::1
}
mend_loop() {
  ipn r6 route replace default via 10.77.7.2
  ipn r6 -6 route replace default via fd77:7::2
}

# What comes to r4 from the left has no hop left.
break_everyttl() {
  rules r4 'chain p { type filter hook prerouting priority 0; iifname "l4" ip ttl set 1; iifname "l4" ip6 hoplimit set 1; }'
}
mend_everyttl() { unrule r4; }

# Nothing answers for the server's address on its link, which stays up: a link that goes down takes what is queued for it
# along, without a word, up to a second later.
break_down() {
  ipn s addr flush dev l9 scope global
  ipn r8 neigh flush dev l9
}
mend_down() {
  ipn s addr replace 10.77.9.2/24 dev l9
  ipn s addr replace fd77:9::2/64 dev l9 nodad
  ipn s -6 route replace default via fd77:9::1
  ipn s route replace default via 10.77.9.1
  ipn r8 neigh flush dev l9
}

break_noping() { echo '1 0' > /proc/sys/net/ipv4/ping_group_range; }
mend_noping() { echo '0 2147483647' > /proc/sys/net/ipv4/ping_group_range; }

unrule() { at "$1" nft delete table inet fault; }

build >&2
warm >&2
echo ready
while IFS= read -r line; do
  if (eval "$line") >&2 </dev/null; then echo ok; else echo failed; fi
done

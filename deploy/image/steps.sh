#!/bin/sh
# What the Dockerfile does, so that it can be tried without Docker.
#   steps.sh pack CHECKOUT OUT   makes the package of a checkout; needs Node and npm
#   steps.sh install PACKAGE     puts it into this system, with a user of its own; needs nothing but tar
set -eu

pack() {
  checkout=$1 out=$2
  cd "$checkout"
  # The scripts of packages are for tests; the build is called by name.
  npm ci --ignore-scripts
  npm run build
  mkdir -p "$out"
  npm pack --ignore-scripts --pack-destination "$out"
  cp deploy/image/steps.sh "$out/"
}

install() {
  package=$1
  # The number is fixed, because volumes outlive images.
  echo 'bongsu:x:10001:' >>/etc/group
  echo 'bongsu:x:10001:10001:Bongsu:/data:/usr/sbin/nologin' >>/etc/passwd
  mkdir -p /opt/bongsu /data /etc/bongsu
  tar -xzf "$package"/bongsu-*.tgz -C /opt/bongsu --strip-components=1 --no-same-owner
  # Root's, and not to be written by the one who runs it.
  chmod -R u=rwX,go=rX /opt/bongsu
  chown 10001:10001 /data
  chmod 700 /data
  printf '#!/bin/sh\nexec node /opt/bongsu/bin/bongsu.js "$@"\n' >/usr/local/bin/bongsu
  chmod 755 /usr/local/bin/bongsu
}

case "${1:-}" in
  pack | install) "$@" ;;
  *) sed -n '2,5s/^# //p' "$0" >&2; exit 2 ;;
esac

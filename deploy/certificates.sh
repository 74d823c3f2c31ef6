#!/bin/sh
# Makes an authority of certificates, and one certificate for each of the named servers. What exists stays.
#
#   certificates.sh AUTHORITY FOLDER NAME…
#
# AUTHORITY/ca.key signs further ones: whoever has it can pass for any server here. FOLDER/ca.pem is what clients trust.
set -eu
umask 022
authority=${1:?a folder for the authority}
folder=${2:?a folder for the certificates}
shift 2
mkdir -p "$authority" "$folder"
if [ ! -s "$authority/ca.key" ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj '/CN=Tilth internal' \
    -keyout "$authority/ca.key.new" -out "$authority/ca.pem" 2>/dev/null
  # Readable for the user of the image, who is none of this shell's.
  if [ "$(id -u)" = 0 ]; then chown 10001:10001 "$authority/ca.key.new"; fi
  mv "$authority/ca.key.new" "$authority/ca.key"
fi
[ "$authority" -ef "$folder" ] || cp "$authority/ca.pem" "$folder/ca.pem"
cd "$folder"
for name; do
  [ -s "$name.pem" ] && continue
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$name" \
    -keyout "$name.key" -out "$name.csr" 2>/dev/null
  printf 'subjectAltName=DNS:%s,DNS:localhost,IP:127.0.0.1\n' "$name" >"$name.ext"
  openssl x509 -req -in "$name.csr" -CA "$authority/ca.pem" -CAkey "$authority/ca.key" -set_serial "0x$(openssl rand -hex 8)" \
    -days 825 -extfile "$name.ext" -out "$name.new" 2>/dev/null
  # The servers run as users of their own.
  chmod 644 "$name.key"
  mv "$name.new" "$name.pem"
  rm -f "$name.csr" "$name.ext"
done

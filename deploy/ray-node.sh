#!/bin/sh
# Starts a node of the Ray cluster, which encrypts what it sends to the others.
#
#   ray-node.sh head [OPTION of ray start…]
#   ray-node.sh worker HEAD:PORT [OPTION of ray start…]
#   ray-node.sh certificate                only makes the certificate, for pods that KubeRay starts
#
# A node is known by its address, so that it makes its own certificate when it starts, signed by the authority in
# TILTH_RAY_CA (ca.pem, ca.key). RAY_TLS_SERVER_CERT and RAY_TLS_SERVER_KEY say where it goes.
set -eu
: "${TILTH_RAY_CA:?the folder with ca.pem and ca.key}" "${RAY_TLS_SERVER_CERT:?}" "${RAY_TLS_SERVER_KEY:?}"

folder=$(dirname "$RAY_TLS_SERVER_CERT")
mkdir -p "$folder"
addresses=$(hostname -I | tr ' ' '\n' | sed -n 's/^\(..*\)$/,IP:\1/p' | tr -d '\n')
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$(hostname)" \
  -keyout "$RAY_TLS_SERVER_KEY" -out "$folder/request.csr" 2>/dev/null
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1,DNS:%s%s\n' "$(hostname)" "$addresses" >"$folder/names.ext"
openssl x509 -req -in "$folder/request.csr" -CA "$TILTH_RAY_CA/ca.pem" -CAkey "$TILTH_RAY_CA/ca.key" \
  -set_serial "0x$(openssl rand -hex 8)" -days 365 -extfile "$folder/names.ext" -out "$RAY_TLS_SERVER_CERT" 2>/dev/null
chmod 600 "$RAY_TLS_SERVER_KEY"
# It is this script's: Tilth refuses settings that it does not know.
unset TILTH_RAY_CA

role=${1:?head, worker or certificate}
shift
case $role in
  certificate) ;;
  head) exec ray start --head --port=6379 --dashboard-host=127.0.0.1 --block "$@" ;;
  worker)
    head=${1:?HEAD:PORT}
    shift
    exec ray start --address="$head" --block "$@"
    ;;
  *)
    echo "ray-node.sh: no role is called $role" >&2
    exit 2
    ;;
esac

/** Commands that write a certificate and its key into a Secret, for either type: the type of a Secret is immutable. */
export const secretFromFiles =
  '`kubectl -n {namespace} create secret tls {secret} --cert=tls.crt --key=tls.key --dry-run=client -o yaml | kubectl apply -f -`. [end] If the Secret is of type Opaque: `kubectl -n {namespace} create secret generic {secret} --from-file=tls.crt --from-file=tls.key --dry-run=client -o yaml | kubectl apply -f -`.';

import { otherRow, textRow } from './row.ts';

/** Log lines of a backend's TLS server: a TLS alert in them was sent by the client. */
export const tlsServerTexts = [
  textRow('client-rejects-certificate', 'tls', {
    pattern:
      /^(?!.*(?:https?:\/\/\S+: .*remote error|\betcd\b|\brejected connection\b)).*(?:\btls: |remote error: |\balert(?::|_| number \d+,)? ?['"]?|(?:TLSV1|SSLV3)_ALERT_|fatal alert: |\bdescription: )(?:bad[ _]?cert\w*|unknown[ _]?ca\b|unknown[ _]?cert\w*|expired certificate|certificate[ _]?(?:expired|unknown)|unknown authority)/i,
    says: 'http: TLS handshake error from 192.0.2.1:46144: remote error: tls: bad certificate',
    means:
      'The client, usually the API server, rejects the certificate of this Pod: it does not match the caBundle, or its names or dates are wrong.',
    next: ['kubectl webhook cert-check'],
  }),
  textRow('server-without-certificate', 'tls', {
    pattern:
      /^(?!.*\bkubelet\b).*(?:tls: no certificates configured|no (?:serving |tls\.)?certificate available|\bserver key missing\b)/i,
    says: 'http: TLS handshake error from 192.0.2.1:53616: tls: no certificates configured',
    means: 'The webhook server accepts connections, but has no serving certificate yet.',
  }),
  textRow('client-tls-version', 'tls', {
    pattern: /client offered only unsupported versions|TLS handshake error.*protocol version not supported/,
    says: 'http: TLS handshake error from 192.0.2.1:42380: tls: client offered only unsupported versions: [303 302 301]',
    means:
      'The webhook server requires a newer TLS version than the client offers. An API server built for FIPS, or a proxy before it, may offer TLS 1.2 only.',
  }),
  textRow('no-common-cipher', 'tls', {
    pattern: /no cipher suite supported by both client and server/,
    says: 'http: TLS handshake error from 192.0.2.1:42380: tls: no cipher suite supported by both client and server',
    means: 'The webhook server allows none of the cipher suites that the client offers.',
  }),
  textRow('client-certificate-missing', 'tls', {
    pattern: /tls: client didn't provide a certificate|tls: failed to verify client certificate/,
    says: "http: TLS handshake error from 192.0.2.1:42380: tls: client didn't provide a certificate",
    means:
      'The server requires a client certificate. kube-apiserver presents one to a webhook only if its AdmissionConfiguration names a kubeconfig for webhooks. A certificate that the server rejects, such as an expired one, is usually of another client.',
  }),
  textRow('client-speaks-http', 'tls', {
    pattern:
      /client sent an HTTP request to an HTTPS server|TLS handshake error.*(?:first record does not look like a TLS handshake|unsupported SSLv2 handshake)/,
    says: 'http: TLS handshake error from 192.0.2.1:42380: client sent an HTTP request to an HTTPS server',
    means:
      'A client sends plain HTTP to the port that serves TLS: a probe with scheme HTTP, a load balancer, or a mesh sidecar.',
    next: ['kubectl -n NAMESPACE describe pod POD'],
  }),
  textRow('request-header-unread', 'replica', {
    pattern:
      /missing content for (?:request header )?CA bundle|"extension-apiserver-authentication-reader"\s+not found/,
    says: 'key failed with : missing content for CA bundle "client-ca::kube-system::extension-apiserver-authentication::requestheader-client-ca-file"',
    means:
      'The extension API server has not read the requestheader CA yet. In the first seconds that is harmless. If it continues, its ServiceAccount lacks the Role `extension-apiserver-authentication-reader`, or kube-apiserver has no such CA.',
    next: [
      'kubectl -n kube-system get rolebindings',
      'kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml',
    ],
  }),
  textRow('client-not-authenticated', 'response', {
    pattern:
      /Unable to authenticate the request(?!.*(?:\boidc|openid|invalid bearer token)).*x509|x509: subject with cn=/,
    says: 'Unable to authenticate the request due to an error: x509: certificate signed by unknown authority',
    means:
      'The server rejects the certificate of its client. For an extension API server, this client is kube-apiserver. The requestheader CA or its allowed names changed after the server started, or the server was started with another CA.',
    next: ['kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml'],
  }),
  textRow('handshake-unfinished', 'network', {
    pattern: /TLS handshake error from .*i\/o timeout/,
    says: 'http: TLS handshake error from 192.0.2.1:11741: read tcp 198.51.100.7:9876->192.0.2.1:11741: i/o timeout',
    means:
      'The server waited for the rest of a TLS handshake. If the API server reports a timeout at the same time, large packets are lost between them: compare the MTU.',
  }),
  textRow('handshake-ended-in-pod', 'network', {
    // The addresses from which the proxy of Istio connects to its own Pod.
    pattern:
      /TLS handshake error from (?:127\.0\.0\.6|\[::6\]):\d+: .*(?:EOF|connection reset by peer|broken pipe)/,
    says: 'http: TLS handshake error from 127.0.0.6:41573: EOF',
    means:
      'The sidecar proxy of the Pod closed the connection during the TLS handshake. The proxy of a service mesh forwards calls by the API server in this way, and ends them if it expects mutual TLS.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  textRow('handshake-ended-on-host', 'network', {
    pattern:
      /TLS handshake error from (?:127\.[\d.]+|\[::1\]):\d+: .*(?:EOF|connection reset by peer|broken pipe)/,
    says: 'http: TLS handshake error from 127.0.0.1:38936: EOF',
    means:
      'A program on the same host or in the same Pod closed the connection during the TLS handshake. Often it is a probe or `kubectl port-forward`, which is harmless. In a Pod with a sidecar proxy, it may be that proxy.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml'],
  }),
  textRow('handshake-ended-by-client', 'network', {
    pattern: /TLS handshake error from .*(?:EOF|connection reset by peer|broken pipe)/,
    says: 'http: TLS handshake error from 192.0.2.1:36928: EOF',
    means:
      'A client closed the connection during the TLS handshake. This is harmless for TCP health checks. The API server closes the connection when the webhook timeout ends.',
    next: ['kubectl get nodes,pods -A -o wide'],
  }),
  otherRow('kubeconfig-unreadable', 'tls', {
    // The text starts with a lower-case letter only in errors of kubectl itself.
    pattern:
      /^error: (?:tls: (?:failed to find any PEM data|private key)|unable to load root certificates|unable to read (?:client-cert|client-key|certificate-authority))|Unable to connect to (?:the )?server: |The connection to the server \S+ was refused/,
    says: 'Unable to connect to the server: x509: certificate signed by unknown authority',
    means:
      'This is an error of kubectl itself: it cannot load its kubeconfig, or cannot connect to the Kubernetes API server. No webhook is involved. Compare address and certificates of the kubeconfig with those of the API server.',
    next: ['kubectl config view --minify --raw'],
  }),
  textRow('key-pair-unreadable', 'tls', {
    pattern:
      /found a (?:certificate rather than a key|key rather than a certificate) in the PEM|PEM inputs may have been switched/,
    says: 'tls: found a certificate rather than a key in the PEM for the private key',
    means:
      'A program reads a certificate where it needs a private key: its two files are exchanged, or are the same. If an aggregated API returns this, it is `--proxy-client-key-file` of kube-apiserver.',
  }),
  textRow('key-pair-mismatched', 'tls', {
    pattern: /\bkey[ _]values[ _]mismatch\b|private key (?:type )?does not match public key/i,
    says: 'tls: private key does not match public key',
    means:
      'The process cannot load its certificate: the certificate and the private key do not match, as they are of different issuances. In a client, it is the client certificate of its kubeconfig.',
  }),
  textRow('key-pair-unreadable', 'tls', {
    pattern:
      /\btls: failed to find .{0,60} in (?:certificate|key) input|failed to find any PEM data\b|\bfailed to parse private key\b|(?:could not|failed to|unable to) (?:load|parse|read) (?:the )?(?:TLS |x509 )?key ?pair/i,
    says: 'Could not load TLS keypair: tls: failed to find any PEM data in certificate input',
    means:
      'The process cannot load its certificate: `tls.crt` or `tls.key` is empty or damaged. In a client, it is the client certificate of its kubeconfig.',
  }),
  textRow('certificate-file-missing', 'replica', {
    pattern:
      /^(?!.*(?:\bexec: |serviceaccount\/(?:ca\.crt|token))).*(?:\.(?:crt|key|pem|cert|p12|pfx|jks)\b[^;,]{0,90}\bno such file|(?:no such file or directory|could not find file|NoSuchFileException|ENOENT)\b.{0,30}\S\.(?:crt|key|pem|cert|p12|pfx|jks)\b)/i,
    says: 'open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory',
    means:
      'The webhook server does not find its certificate file: the Secret does not exist, has no such key, or is not mounted at that path.',
  }),
  textRow('own-authority-expired', 'tls', {
    pattern: /\bCA (?:certificate )?(?:has|is) expired\b|\bca cert(?:ificate)? (?:has|is) expired\b/i,
    says: 'Failed to generate serving certificate, retrying...: CA certificate has expired, try again later',
    means:
      'The CA with which the process signs its serving certificate has expired. Renew it where it is created, and update the caBundle. Delete its Secret only if a program creates a missing one again.',
    next: ['kubectl -n NAMESPACE get secrets'],
  }),
  textRow('own-certificate-other-name', 'tls', {
    pattern:
      /\b(?:invalid certs?|certificate (?:verification|validation) failed|(?:unable|failed) to validate (?:the )?(?:\w+ )?cert(?:ificate)?s?)\b.{0,60}\bx509: certificate is valid for .{1,300}, not \S+\.svc\b/i,
    says: 'invalid certs. retrying...: x509: certificate is valid for policy.shop.svc, not policy.default.svc',
    means:
      'A process checks its own certificate for the name of its Service, and the certificate has other names. An argument of the process has the wrong name or namespace (`--dns-name`), or the Secret holds the certificate of another Service.',
    next: ['kubectl -n NAMESPACE get pod POD -o yaml', 'kubectl webhook cert-check'],
  }),
  textRow('own-certificate-rejected', 'tls', {
    // git and wget write the first wording about the certificate of another server.
    pattern:
      /^(?!.*(?:https?:\/\/|\b(?:server|peer) certificate|CAfile)).*(?:\bcertificate (?:verification|validation) failed\b|\b(?:unable|failed) to validate (?:the )?(?:\w+ )?cert(?:ificate)?s?\b|\binvalid certs?\b.{0,20}\bretrying\b|\bcert(?:ificate)? (?:is )?not active\b|\bthe certificate is invalid: )/i,
    says: 'Certificate verification failed, rotating the certificate',
    means:
      'A process checks a certificate that it serves or issues, and does not accept it: it is not valid, or its CA is another one. Such processes write a new one. If this repeats, another writer overwrites the Secret or the CA, such as a GitOps tool.',
    next: ['kubectl -n NAMESPACE get secret SECRET -o yaml --show-managed-fields'],
  }),
  textRow('handshake-failed', 'tls', {
    pattern: /^(?!.*\bkubelet\b).*TLS handshake error from \S+:\d+: (?!secrets? "?[\w./-]+"? not found)\w/,
    says: 'http: TLS handshake error from 192.0.2.1:44962: tls: invalid ClientKeyExchange message',
    means:
      'A TLS handshake with this client failed, and the end of the line is the reason. If the API server reports no failed call, another client is at fault: a probe, a scanner, or a program with an old TLS library.',
    next: ['kubectl get nodes,pods -A -o wide'],
  }),
  textRow('certificate-argument-missing', 'replica', {
    pattern:
      /\bTLS (?:certificate|private key|key) file is not set\b|\b(?:cert|certificate|tls|key)[ -]file (?:must be|is not) (?:set|specified|provided)\b/i,
    says: 'TLS certificate file is not set',
    means:
      'The webhook server is started without the path of its certificate or key: an argument of the container is missing.',
    next: ['kubectl -n NAMESPACE edit deployment/NAME'],
  }),
];

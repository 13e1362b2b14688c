import { ends } from './cause-pattern.ts';

/** Go's net and net/http, and what stands between the API server and the Pod: what a connection came to. */
export const networkCauses = [
  // dial tcp: lookup policy.shop.svc on 127.0.0.1:53: no such host
  ends(
    'dns',
    /lookup (?<host>[^\s:]+)(?: on (?<resolver>\S+:\d+))?: (?:no such host|server misbehaving|.*i\/o timeout|Temporary failure)/,
  ),
  // proxyconnect tcp: dial tcp 192.0.2.7:3128: connect: connection refused
  ends('proxy', /proxyconnect tcp|Proxy Authentication Required/),
  // proxy error from 127.0.0.1:8090 while dialing 198.51.100.7:8443, code 503: 503 Service Unavailable
  ends(
    'tunnel',
    /No agent available|dial timeout, (?:backstop|context)|tunnel closed|timed out waiting for backend dial|proxy error from \S+ while dialing|reading HTTP response from CONNECT/,
  ),
  // dial tcp 203.0.113.10:443: connect: connection refused (before Go 1.11 getsockopt: connection refused)
  ends('connection-refused', /connection refused/),
  // dial tcp 203.0.113.10:443: connect: no route to host
  ends('no-route', /no route to host/),
  ends('not-permitted', /operation not permitted/),
  ends('network-unreachable', /network is unreachable/),
  // net/http: TLS handshake timeout
  ends('handshake-timeout', /TLS handshake timeout/),
  // dial tcp 203.0.113.10:443: i/o timeout
  ends('connect-timeout', /i\/o timeout|connection timed out|operation timed out/),
  // context deadline exceeded; net/http: request canceled (Client.Timeout exceeded while awaiting headers)
  ends(
    'deadline',
    /context deadline exceeded|Client\.Timeout exceeded|request canceled while waiting for connection/,
  ),
  // context canceled: the client went away
  ends('canceled', /context canceled|request canceled/),
  // http: server gave HTTP response to HTTPS client
  ends('plain-http', /server gave HTTP response to HTTPS client/),
  // tls: first record does not look like a TLS handshake
  ends(
    'not-tls',
    /first record does not look like a TLS handshake|oversized record|unsupported SSLv2 handshake/,
  ),
  // net/http: HTTP/1.x transport connection broken: malformed HTTP response "\x00\x00…"
  ends('not-http', /malformed HTTP (?:response|status code|version)/),
  // Address is not allowed (Amazon EKS, no text of Kubernetes)
  ends('address-not-allowed', /Address is not allowed/),
  // stopped after 10 redirects
  ends('redirects', /stopped after 10 redirects/),
  // EOF; read tcp 192.0.2.1:5000->198.51.100.7:8443: read: connection reset by peer
  ends(
    'connection-closed',
    /\bEOF\b|connection reset by peer|broken pipe|server closed idle connection|transport connection broken|unexpected error when reading response body/,
  ),
] as const;

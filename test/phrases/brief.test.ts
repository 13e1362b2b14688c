import { expect } from 'chai';
import { brief, briefEnd } from '../../src/phrases/brief.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'a line of a structured log',
    '{"level":"error","logger":"setup","msg":"problem running manager","error":"listen tcp :10250: bind: address already in use"}',
    'problem running manager: listen tcp :10250: bind: address already in use',
  ],
  [
    'an error that is an object, as pino writes it',
    '{"level":50,"time":1795988360714,"pid":1,"err":{"type":"Error","message":"EACCES: permission denied, open \'/app/a.js\'","stack":"Error: EACCES\\n    at run"},"msg":"Error starting store"}',
    "Error starting store: EACCES: permission denied, open '/app/a.js'",
  ],
  [
    'an error that pino repeats as the message',
    '{"level":50,"err":{"type":"Error","message":"no module"},"msg":"no module"}',
    'no module',
  ],
  ['an object without a text', '{"level":50,"err":{"code":7},"msg":"stopped"}', 'stopped'],
  ['no error', '{"level":50,"err":null,"msg":"stopped"}', 'stopped'],
  [
    'a line of klog',
    'E1127 15:04:05.000000       1 main.go:51] "Failed to start" err="open /certs/tls.crt: no such file or directory"',
    'Failed to start: open /certs/tls.crt: no such file or directory',
  ],
  [
    'an unstructured line of klog',
    'F1127 15:04:05.000000       1 main.go:51] unable to read configuration',
    'unable to read configuration',
  ],
  [
    'a line of zap for consoles',
    '2026-11-27T15:04:05.123Z\tERROR\tsetup\tproblem running manager\t{"error": "listen tcp :9443: bind: address already in use"}',
    'problem running manager: listen tcp :9443: bind: address already in use',
  ],
  [
    'a chain of errors, whose last one is the reason',
    'Error: failed to create discovery service: failed to create CA: failed to create an istiod CA: failed to create CA KeyCertBundle (cannot verify the cert: x509: certificate has expired)',
    'failed to create an istiod CA: failed to create CA KeyCertBundle (cannot verify the cert: x509: certificate has expired)',
  ],
  [
    'a chain of errors with a certificate that is not valid',
    'failed to create an istiod CA: failed to create CA KeyCertBundle (cannot verify the cert with the provided root chain and cert pool with error: x509: certificate has expired or is not yet valid: current time 2026-11-30T17:01:54Z is after 2026-11-25T16:50:22Z)',
    'failed to create CA KeyCertBundle (cannot verify the cert with the …x509: certificate has expired or is not yet valid',
  ],
  [
    'an error about a certificate at the beginning',
    'cannot start: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "webhook-ca")',
    'cannot start: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while …',
  ],
  [
    'a short chain of errors',
    'failed to start: failed to create CA: no key',
    'failed to start: failed to create CA: no key',
  ],
  [
    'a line of zap for consoles with levels in lower case',
    '2026-11-27T15:04:05.071967Z\terror\tinstaller\tfailed to start',
    'failed to start',
  ],
  [
    'a line of zap for consoles in a report, where tabs are spaces',
    '2026-11-27T15:04:05.123Z  ERROR  cert-rotation  update failed  {"name": "policy", "error": "webhooks are forbidden"}',
    'update failed: webhooks are forbidden',
  ],
  [
    'a line in logfmt',
    'time="2026-11-27T15:04:05Z" level=fatal msg="cannot start" error="unknown field \\"x\\""',
    'cannot start: unknown field "x"',
  ],
  [
    'a line of the log package of Go',
    '2026/11/27 15:04:05 listen tcp :443: bind: permission denied',
    'listen tcp :443: bind: permission denied',
  ],
  [
    "the scheduler's message, with a long taint",
    'Unschedulable: 0/3 nodes are available: 3 node(s) had untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: true}. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    '0/3 nodes are available: 3 node(s) had untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: true}',
  ],
  [
    'a Pod that no PodSecurityPolicy allows',
    'pods "guard-" is forbidden: PodSecurityPolicy: unable to admit pod: [spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used spec.containers[0].hostPort: Invalid value: 8888]',
    'no pod security policy allows hostNetwork: Invalid value: true: Host network is not allowed to be used',
  ],
  [
    'a text whose end is as short as an ellipsis is useful',
    `${'word '.repeat(26)}end`,
    `${'word '.repeat(26)}end`,
  ],
  ['a structured line without a message', '{"level":"error","code":7}', '{"level":"error","code":7}'],
  ['a structured line that was cut', '{"level":"error","msg":"half', 'half'],
  [
    'a security setting that the kubelet does not accept',
    'container\'s runAsUser breaks non-root policy (pod: "a-1_shop(8c0e)", container: webhook)',
    "container's runAsUser breaks non-root policy",
  ],
  [
    'a permission that a ServiceAccount lacks',
    String.raw`{"msg":"Failed to watch","error":"failed to list apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: customresourcedefinitions.apiextensions.k8s.io is forbidden: User \"system:serviceaccount:shop:policy\" cannot list resource \"customresourcedefinitions\" in API group \"apiextensions.k8s.io\" at the cluster scope"}`,
    'ServiceAccount shop/policy cannot list customresourcedefinitions at the cluster scope',
  ],
  [
    'a Pod that the kubelet rejects',
    'SysctlForbidden: Pod was rejected: forbidden sysctl: "net.core.somaxconn" not allowlisted',
    'SysctlForbidden: forbidden sysctl: "net.core.somaxconn" not allowlisted',
  ],
  ['a short sentence', 'secret "x" not found', 'secret "x" not found'],
  [
    'a refusal of the API server',
    'Error creating: pods "policy-" is forbidden: exceeded quota: tight, requested: pods=1',
    'exceeded quota: tight, requested: pods=1',
  ],
  [
    'a refusal that the StatefulSet controller passes on',
    'Create Pod policy-0 in StatefulSet policy failed error: pods "policy-0" is forbidden: no PriorityClass with name x was found',
    'no PriorityClass with name x was found',
  ],
  [
    'an event that was told often',
    '(combined from similar events): Error creating: pods "a" is forbidden: failed quota: cpu: must specify limits.cpu',
    'failed quota: cpu: must specify limits.cpu',
  ],
  [
    'a refusal by a webhook, whose name is the point',
    'Internal error occurred: failed calling webhook "other.example.com": failed to call webhook: no endpoints',
    'failed calling webhook "other.example.com": failed to call webhook: no endpoints',
  ],
  [
    'a registry without the image',
    'Back-off pulling image "r.example.com/policy:v9": ErrImagePull: failed to pull and unpack image "r.example.com/policy:v9": failed to resolve reference "r.example.com/policy:v9": r.example.com/policy:v9: not found',
    'r.example.com/policy:v9: not found',
  ],
  [
    'a registry whose name is not found',
    'Back-off pulling image "r.example.com/policy:v9": ErrImagePull: failed to pull and unpack image "r.example.com/policy:v9": failed to resolve reference "r.example.com/policy:v9": failed to do request: Head "https://r.example.com/v2/policy/manifests/v9": dial tcp: lookup r.example.com on 192.0.2.53:53: read udp 192.0.2.10:47482->192.0.2.53:53: i/o timeout',
    'dial tcp: lookup r.example.com on 192.0.2.53:53: i/o timeout',
  ],
  [
    'a probe that gets no response',
    'Liveness probe failed: Get "https://198.51.100.27:6443/healthz": context deadline exceeded',
    'Liveness probe failed: context deadline exceeded',
  ],
  [
    'another request, whose address is the point',
    'Head "https://r.example.com/v2/": read tcp 192.0.2.10:47482->192.0.2.53:443: i/o timeout',
    'Head "https://r.example.com/v2/": read tcp 192.0.2.10:47482->192.0.2.53:443: i/o timeout',
  ],
  [
    'a command that is not there',
    'StartError: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/no": stat /no: no such file or directory: unknown',
    'StartError: exec: "/no": stat /no: no such file or directory: unknown',
  ],
  [
    'the fields of klogr',
    'E1127 23:40:11.139561       1 main.go:182] "msg"="unable to init logger" "error"="mkdir /log: permission denied" "logger"="setup"',
    'unable to init logger: mkdir /log: permission denied',
  ],
  [
    'the words of the scheduler',
    '0/1 nodes are available: 1 Insufficient memory. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    '0/1 nodes are available: 1 Insufficient memory',
  ],
  [
    'the words of an older scheduler',
    '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
    '0/3 nodes are available: 3 Insufficient cpu',
  ],
  [
    'a long denial of another webhook',
    'Failed to delete all resource types, 1 remaining: error deleting pods in shop: admission webhook "validation.gatekeeper.sh" denied the request: [protect] delete is not allowed for this kind',
    'webhook validation.gatekeeper.sh denied: [protect] delete is not allowed for this kind',
  ],
  [
    'a short denial',
    'admission webhook "a.example.com" denied the request: no',
    'admission webhook "a.example.com" denied the request: no',
  ],
];

describe('a sentence of the cluster in a headline', () => {
  for (const [name, text, expected] of cases) {
    it(`keeps the important part of ${name}`, () => expect(brief(text)).to.equal(expected));
  }

  it('of a call is its end, without the webhook and the URL', () => {
    const call =
      'failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/?timeout=5s": context deadline exceeded';
    expect(briefEnd(call)).to.equal('context deadline exceeded');
  });

  it('is cut between words', () => {
    const cut = brief('word '.repeat(60));
    expect(cut).to.match(/^(word )+…$/);
    expect(cut.length).to.be.at.most(122);
  });

  it('is found quickly in a text of megabytes', () => {
    const begin = [
      'a',
      '. ',
      'failed to create containerd task: ',
      'is forbidden: User "system:serviceaccount:',
    ];
    for (const text of begin) expect(brief(text.repeat(200_000)).length).to.be.below(200);
  }).timeout(2000);

  it('is cut inside a word that is too long', () => {
    expect(brief('x'.repeat(500))).to.equal(`${'x'.repeat(30)}…`);
    const gates = `${'SomeGate=true,'.repeat(9)}Typo=true`;
    const flag = `invalid argument "${gates}" for "--feature-gates" flag: unrecognized feature gate: Typo`;
    expect(brief(flag)).to.equal(
      'invalid argument "SomeGate=true,SomeGate=true,So…" for "--feature-gates" flag: unrecognized feature gate: Typo',
    );
  });
});

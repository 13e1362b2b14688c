import { expect } from 'chai';
import {
  exitReason,
  lastLogLines,
  relevantLogLines,
  servedPort,
  skippedPart,
  throttledRequest,
} from '../../../../src/apiserver/sentences/logs/log-lines.ts';

describe('tellingLines', () => {
  it('prefers an error to a repeated probe failure', () => {
    const log = [
      'I1123 10:00:37.276088       1 shared_informer.go:402] "Waiting for caches to sync"',
      'E1123 10:00:52.272812       1 scraper.go:149] "Failed to scrape node" err="x509: no IP SANs" node="a"',
      'I1123 10:01:36.598133       1 server.go:192] "Failed probe" probe="ready" err="no metrics to serve"',
      'E1123 10:01:52.272812       1 scraper.go:149] "Failed to scrape node" err="x509: no IP SANs" node="a"',
    ].join('\n');
    expect(relevantLogLines(log, 3)).to.deep.equal([
      'E1123 10:01:52.272812       1 scraper.go:149] "Failed to scrape node" err="x509: no IP SANs" node="a"',
    ]);
  });

  it('prefers a known error to an unknown one, and keeps their order', () => {
    const log = [
      'level=error msg="open /certs/tls.crt: no such file or directory"',
      'level=error msg="one"',
      'level=error msg="another"',
    ].join('\n');
    expect(relevantLogLines(log, 2)).to.deep.equal([
      'level=error msg="open /certs/tls.crt: no such file or directory"',
      'level=error msg="another"',
    ]);
  });

  for (const level of ['error', 'dpanic', 'panic', 'fatal'])
    it(`reads the level ${level} of zap for consoles`, () => {
      const error = `2026-11-30T17:01:54.071967Z\t${level}\tinstaller\tcannot write the caBundle`;
      const log = `${error}\n2026-11-30T17:01:55.1Z\twarn\tinstaller\tslow\n2026-11-30T17:01:56.1Z\tinfo\tno error\tok`;
      expect(relevantLogLines(log, 2)).to.deep.equal([error]);
    });

  it('ignores a request without a body, not a file without content', () => {
    const empty = (what: string): string =>
      `E1130 13:11:08.923554 1 server.go:88] "Failed to decode ${what}" err="couldn't get version/kind; json parse error: unexpected end of JSON input"`;
    const log = `${empty('configuration')}\n${empty('request body')}`;
    expect(relevantLogLines(log, 2)).to.deep.equal([empty('configuration')]);
    const fatal =
      'F1130 10:00:01.0 1 main.go:33] failed to load request defaults: unexpected end of JSON input';
    expect(exitReason(`${fatal}\nI1130 10:00:01.1 1 main.go:40] shutting down`)).to.equal(fatal);
    const real =
      '{"level":"error","msg":"cannot decode admission request body","error":"unexpected end of JSON input"}';
    expect(relevantLogLines(`${real}\n{"level":"info","msg":"ok"}`, 2)).to.deep.equal([real]);
  });

  it('shows what a server without a certificate waits for', () => {
    const handshake =
      'ERROR handler: http: TLS handshake error from 192.0.2.1:52776: no certificate available';
    const waits = 'WARN  certwatcher: Could not check leader: err="leases is forbidden"';
    expect(relevantLogLines(`${waits}\n${handshake}`, 1)).to.deep.equal([waits]);
    expect(relevantLogLines(handshake, 1)).to.deep.equal([handshake]);
  });

  it('ignores a panic about a test object of a probe', () => {
    const panic = (name: string): string =>
      `{"level":"error","logger":"admission","msg":"Observed a panic","object":{"name":"${name}"},"panic":"runtime error: invalid memory address or nil pointer dereference"}`;
    const log = `${panic('kubectl-webhook-probe')}\n${panic('cart')}`;
    expect(relevantLogLines(log, 2)).to.deep.equal([panic('cart')]);
    expect(relevantLogLines(panic('kubectl-webhook-probe'), 2)).to.deep.equal([]);
  });

  it('ignores a write conflict, which a controller retries', () => {
    const conflict =
      'Operation cannot be fulfilled on leases "policy": the object has been modified; please apply your changes to the latest version and try again';
    expect(relevantLogLines(`level=error msg='${conflict}'`, 2)).to.deep.equal([]);
  });

  it('ignores a client that sends plain HTTP, such as a scanner', () => {
    const line =
      'level=error msg="http: TLS handshake error from 192.0.2.1:5: client sent an HTTP request to an HTTPS server"';
    expect(relevantLogLines(line, 2)).to.deep.equal([]);
  });

  it('does not ignore a fatal line that contains such a text', () => {
    const log = [
      'level=warn msg="cache is slow" err="timeout"',
      'fatal: Readiness probe failed: cannot read config',
    ].join('\n');
    expect(relevantLogLines(log, 2)).to.deep.equal(['fatal: Readiness probe failed: cannot read config']);
    const klog = 'F1123 10:00:37.276088       1 main.go:9] Readiness probe failed: cannot read config';
    expect(relevantLogLines(klog, 2)).to.deep.equal([klog]);
  });

  it('ignores a Lease that another replica has created first', () => {
    const line =
      'E1123 1 leaderelection.go:456] "Error initially creating lease lock" err="leases.coordination.k8s.io \\"policy\\" already exists"';
    expect(relevantLogLines(line, 2)).to.deep.equal([]);
  });

  it('finds the part that a program does not start', () => {
    const line = '2026-11-30T10:00:00Z\tinfo\tSkipping sidecar injector, template not found';
    expect(skippedPart(`starting\n${line}\nready`)).to.deep.equal({ line, part: 'injector' });
    for (const other of [
      'Skipping injection because "web" has host networking enabled',
      'skipping validator for namespace kube-system',
      'Skipping injector.go:13',
    ])
      expect(skippedPart(other), other).to.equal(undefined);
  });

  it('uses a line about a Lease if there is no other', () =>
    expect(
      relevantLogLines(
        'I1123 1 main.go:3] starting\nI1123 1 leaderelection.go:250] attempting to acquire leader lease shop/policy...',
        2,
      ),
    ).to.deep.equal(['I1123 1 leaderelection.go:250] attempting to acquire leader lease shop/policy...']));

  for (const line of [
    '{"level":"error","ts":"2026-11-23T10:00:00Z","msg":"problem running manager","error":"no matches for kind"}',
    '2026-11-23 10:00:00,000 ERROR [main] o.e.Server - port taken',
    'panic: runtime error: invalid memory address',
    'Error: Cannot find module "x"',
    'ValueError: no certificate',
    'time="2026-11-23T10:00:00Z" level=fatal msg="no key"',
  ])
    it(`finds an error in ${line.slice(0, 40)}, and ignores the stack`, () =>
      expect(
        relevantLogLines(
          `ready\n${line}\n\tmain.go:12 +0x1d\ngoroutine 1 [running]:\nmain.main()\n    at x (y.js:1:2)`,
          3,
        ),
      ).to.deep.equal([line]));

  it('returns nothing without a problem', () =>
    expect(
      relevantLogLines(
        'I1123 1 main.go:3] serving on :8443\nGET /readyz 200\n{"level":"info","err":""}\n  --flag  write error messages',
        3,
      ),
    ).to.deep.equal([]));

  it('removes colors and cuts long lines', () => {
    const [line = ''] = relevantLogLines(`\u001b[31mERROR ${'x'.repeat(9_000)}\u001b[0m`, 1);
    expect(line.startsWith('ERROR xxx')).to.equal(true);
    expect(line.length).to.equal(1_000);
  });

  it('reads the levels of zerolog, which Kyverno prints', () => {
    const error =
      '2026-11-27T09:41:15Z ERR main.go:502 > sanity checks failed error="no such CRD" logger=setup';
    const trace =
      '2026-11-27T09:41:15Z TRC flag.go:335 > allowedResults=pass,fail,error,warn,skip logger=setup';
    expect(relevantLogLines(`${error}\n${trace}`, 2)).to.deep.equal([error]);
  });

  it('prefers the reason why a cache is not filled', () => {
    const reason =
      'E1123 09:05:09 1 reflector.go:289] failed to list secrets: secrets is forbidden: User "system:serviceaccount:shop:policy" cannot list resource "secrets" in API group "" at the cluster scope';
    const result =
      'E1123 09:07:02 1 main.go:82] failed to wait for policy caches to sync: timed out waiting for cache to be synced';
    expect(relevantLogLines(`${reason}\n${result}`, 1)).to.deep.equal([reason]);
  });

  it('removes the stack trace of a line in JSON', () =>
    expect(
      relevantLogLines(
        String.raw`{"level":"error","msg":"Failed to watch","error":"no","stacktrace":"runtime.logError\n\t\"x\""}`,
        1,
      ),
    ).to.deep.equal(['{"level":"error","msg":"Failed to watch","error":"no"}']));
});

describe('lastLines', () => {
  it('removes credentials', () =>
    expect(
      lastLogLines('GET with Bearer abc.def\npassword=hunter2, secret "policy-tls" not found', 2),
    ).to.deep.equal(['GET with Bearer …', 'password=…, secret "policy-tls" not found']));

  it('ignores empty lines', () => expect(lastLogLines('a\nb\n\nc\n\n', 2)).to.deep.equal(['b', 'c']));

  it('omit a request that took too long, and keep the failed connection that delayed it', () => {
    const refused =
      'W1127 13:01:30.730480 1 logging.go:55] [core] grpc: addrConn.createTransport failed to connect to {Addr: "192.0.2.7:9666", ServerName: "scaler.shop.svc:9666", }. Err: connection error: desc = "transport: Error while dialing: dial tcp 192.0.2.7:9666: connect: connection refused"';
    const error =
      'E1127 13:01:11.265863 1 status.go:71] "Unhandled Error" err="timeout while waiting for the scaler"';
    const late = [
      'E1127 13:01:11.266195 1 wrap.go:53] "Timeout or abort while handling" method="GET"',
      'E1127 13:01:11.266218 1 timeout.go:140] "Post-timeout activity" timeElapsed="2.7ms"',
      'E1127 13:01:11.266318 1 writers.go:136] "Unhandled Error" err="apiserver was unable to write a fallback JSON response: http: Handler timeout"',
    ];
    expect(relevantLogLines([refused, error, ...late].join('\n'), 5)).to.deep.equal([refused, error]);
  });
});

describe('exitReason', () => {
  it('is the most relevant line', () =>
    expect(exitReason('error: a flag\nstopping, cannot continue')).to.equal('error: a flag'));
  it('is the last line without a level, if it reports a failure', () => {
    expect(exitReason('Starting\nlicense expired\n')).to.equal('license expired');
    expect(exitReason('node: bad option: --cert-dir')).to.equal('node: bad option: --cert-dir');
    expect(exitReason("Unknown option '--cache'")).to.equal("Unknown option '--cache'");
    expect(exitReason('open /certs/tls.crt: permission denied')).to.equal(
      'open /certs/tls.crt: permission denied',
    );
  });
  it('is no end of a handshake, which probes and port-forwards cause', () => {
    for (const address of ['127.0.0.1', '127.0.0.6', '[::1]', '192.0.2.1']) {
      const ended = `http: TLS handshake error from ${address}:38936: EOF`;
      expect(exitReason(`starting\n${ended}`)).to.equal(undefined);
      expect(exitReason(`license expired\n${ended}`)).to.not.equal(ended);
      expect(relevantLogLines(ended, 2)).to.deep.equal([]);
    }
    expect(exitReason('Webhook took 1m13.2s to execute (2.43 of its timeout, 30s)')).to.equal(undefined);
  });
  it('is no warning that reports no failure: clients of the API server log one at each start', () => {
    const warning =
      'W1127 15:04:05.000000 1 client_config.go:667] Neither --kubeconfig nor --master was specified.  Using the inClusterConfig.  This might not work.';
    expect(exitReason(`${warning}\nI1127 15:04:05.000000 1 main.go:1] starting`)).to.equal(undefined);
    expect(exitReason(`${warning}\nopen /conf: no such file or directory`)).to.equal(
      'open /conf: no such file or directory',
    );
    expect(exitReason(`\u001b[33m${warning}\u001b[0m`)).to.equal(undefined);
    const refused = 'W1127 15:04:05.000000 1 reflector.go:1] "Cannot list" err="forbidden"';
    expect(exitReason(`${refused}\n${warning}`)).to.equal(refused);
  });
  it('is no line that says that none failed', () => {
    expect(exitReason('12 passed, 0 failed')).to.equal(undefined);
    expect(exitReason('Shutdown complete, no connections refused')).to.equal(undefined);
  });
  it('is no line with an unknown version', () => {
    for (const line of [
      'Version: unknown, commit: unknown',
      'policy-server (version unknown)',
      'build=unknown',
    ])
      expect(exitReason(line)).to.equal(undefined);
    expect(exitReason('policy-server: unknown flag: --port')).to.equal('policy-server: unknown flag: --port');
  });
  it('is no line that reports no failure, or that is only for information', () => {
    expect(exitReason('license expired soon\nListening on :8443')).to.equal(undefined);
    expect(exitReason('I1127 15:04:05.000000 1 main.go:1] cannot elect a leader yet')).to.equal(undefined);
    expect(exitReason('')).to.equal(undefined);
  });
});

describe('The port of the webhook server in a log', () => {
  it('is the port that a line about the server names', () => {
    const log = 'INFO controller-runtime.webhook Serving webhook server {"host": "", "port": 9443}';
    expect(servedPort(log)?.port).to.equal(9443);
    expect(servedPort('2026/11/30 Listening on https://[::]:8443 for webhooks')?.port).to.equal(8443);
    const elastic =
      '{"log.level":"info","@timestamp":"2026-11-30T17:36:09.018Z","log.logger":"controller-runtime.webhook","message":"Serving webhook server","service.version":"3.5.0+00000000","service.type":"eck","ecs.version":"1.4.0","host":"","port":10250}';
    expect(servedPort(elastic)?.port).to.equal(10250);
  });

  for (const [line, port] of [
    ['Serving webhook TLS on policy.shop.svc:9443', 9443],
    ['INFO admission server listening at https://localhost.dev:8443', 8443],
    [
      'ts=2026-11-30T09:31:06Z level=info caller=example.com/pkg/server/server.go:330 msg="starting secure server" address=[::]:9443 http2=false',
      9443,
    ],
    ['level=info msg="starting insecure server" address=[::]:8080', undefined],
    ['INFO starting server {"name": "health probe", "addr": "[::]:8081"}', undefined],
    ['serving admission requests, see handler.rs:42', undefined],
  ] as const)
    it(`${port ?? 'none'}: ${line}`, () => {
      expect(servedPort(line)?.port).to.equal(port);
    });

  it('is not the port of another server of the program', () => {
    for (const line of [
      'INFO Serving metrics over https on :8443',
      'I0101 12:00:00.000000 1 serve.go:107] Starting metrics server with TLS, listening :8443',
      'health server with TLS is listening on :8081',
    ])
      expect(servedPort(line)).to.equal(undefined);
  });

  it('is no line number of a source file, in a stack trace or in the field of the caller', () => {
    const log = [
      'panic: conflicting schema',
      'main.main()',
      '\texample.com/serving/cmd/webhook/main.go:171 +0x218',
      'serving webhook from server.go:236',
    ].join('\n');
    expect(servedPort(log)).to.equal(undefined);
  });
});

describe('throttledRequest', () => {
  const delayed = (delay: string) =>
    `I0720 12:00:00.000000       1 request.go:752] "Waited before sending request" delay="${delay}" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://203.0.113.1:443/api/v1/namespaces/shop/configmaps/policy"`;

  it('finds the last request that the client delayed by seconds', () => {
    const log = [delayed('8.19s'), delayed('9.5s'), 'I0720 12:00:01.000000       1 main.go:1] done'];
    expect(throttledRequest(log.join('\n'))).to.deep.equal({ line: delayed('9.5s') });
  });

  it('finds nothing in the log of a program that waits for another reason', () => {
    expect(throttledRequest('level=info msg="Waited 8s for the cache"')).to.equal(undefined);
  });
});

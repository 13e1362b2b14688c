import { replicaReadinessFailing } from '../../../../src/checks/replica/pod-failure/replica-readiness-failing.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Pod } from '../../../../src/facts/objects/pod.ts';
import { brief } from '../../../../src/phrases/brief.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, pod } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { allows, ended, proxySays } from '../../probed.ts';
import {
  ago,
  as,
  beside,
  doubts,
  event,
  events,
  good,
  only,
  silences,
  status,
  unready,
} from '../replicas.ts';

const running = (since = 300, more: Parameters<typeof status>[0] = {}) =>
  unready({
    status: {
      phase: 'Running',
      containerStatuses: [status({ started: true, state: { running: { startedAt: ago(since) } }, ...more })],
    },
  });
const refused =
  'Readiness probe failed: Get "https://198.51.100.7:8443/readyz": dial tcp 198.51.100.7:8443: connect: connection refused';
const startup = 'Startup probe failed: dial tcp 198.51.100.7:8443: connect: connection refused';
const gate = 'corresponding condition of pod readiness gate "example.com/registered" does not exist.';
const byGate = pod({
  status: {
    conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: gate }],
  },
});

/** A Pod with this line in its log, and a readiness probe that is refused. */
const logging = (line: string) =>
  only([running()], {
    ...events(event('Unhealthy', refused)),
    logs: complete([['shop/policy-1/webhook', line]]),
  });
/** A Pod that has just started, with this line in its log, and a readiness probe of port 8443 that is refused. */
const startingWith = (line: string, ports: readonly number[] = [8443]) => {
  const started = running(5);
  const containers = [{ name: 'webhook', ports: ports.map((containerPort) => ({ containerPort })) }];
  return only([{ ...started, spec: { ...started.spec, containers } }], {
    ...events(event('Unhealthy', refused)),
    logs: complete([['shop/policy-1/webhook', line]]),
  });
};
const waiting = 'Waiting for certificate generation to complete';
/** Its log ends with a wait for the certificate, besides the election. */
const waits = {
  ...events(event('Unhealthy', refused)),
  logs: complete([
    [
      'shop/policy-1/webhook',
      `I0115 10:00:00.000000       1 main.go:9] ${waiting}\nI0115 10:00:00.300000       1 leaderelection.go:248] attempting to acquire leader lease shop/policy-leader...`,
    ],
  ]),
};
const held = (holderIdentity: string) => ({
  leases: complete([
    ['shop', [{ metadata: { namespace: 'shop', name: 'policy-leader' }, spec: { holderIdentity } }]],
  ]),
});
const electing = {
  ...running(),
  spec: { nodeName: 'n1', containers: [{ name: 'webhook', args: ['--leader-elect'] }] },
};
const ofDaemonSet = (of: Pod): Pod =>
  as(of, {
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'policy', uid: 'ds-1', controller: true },
    ],
  });
const late = 'Readiness probe failed: Get "https://198.51.100.7:8443/readyz": context deadline exceeded';
const scrape = `E1128 10:04:57.102599       1 scraper.go:149] "Failed to scrape node" err="Get \\"https://192.0.2.10:10250/metrics/resource\\": tls: failed to verify certificate: x509: cannot validate certificate for 192.0.2.10 because it doesn't contain any IP SANs" node="node1"`;
const distrust = scrape
  .replace(/scraper.*node" err/, 'client.go:1] "cannot connect" err')
  .replace(/ node=.*/, '')
  .replace(':10250/metrics/resource', ':8443/status');
/** Not about a failed request of the kubelet. */
const other = 'Readiness probe failed: cannot open the database';
const absent =
  'Readiness probe errored and resulted in unknown state: failed to exec in container: failed to start exec "1f": OCI runtime exec failed: exec failed: unable to start container process: exec: "curl": executable file not found in $PATH: unknown';
const closed = { pods: 'Pod policy-1', container: 'webhook', probe: 'readiness', port: '8443' };
const plain = 'Readiness probe failed: Get "http://198.51.100.7:8443/readyz": EOF';
/** A Pod with this readiness probe. */
const probedBy = (readinessProbe: object) => ({
  ...running(),
  spec: { nodeName: 'n1', containers: [{ name: 'webhook', readinessProbe }] },
});
const probing = (httpGet: { readonly port: number; readonly scheme?: string }) => probedBy({ httpGet });
const involved = { kind: 'Pod', namespace: 'shop', name: 'policy-1', uid: 'uid-1' };
const twoUnready = unready({
  spec: { nodeName: 'n1', containers: [{ name: 'webhook' }, { name: 'proxy' }] },
  status: {
    phase: 'Running',
    containerStatuses: ['webhook', 'proxy'].map((name) =>
      status({ name, started: true, state: { running: { startedAt: ago(300) } } }),
    ),
  },
});
const call = (service: string, end: string) =>
  `level=warning msg=waiting error="Get \\"https://${service}.svc:443/healthz\\": ${end}"`;

const healthRefused =
  'Readiness probe failed: Get "http://198.51.100.5:8080/readyz": dial tcp 198.51.100.5:8080: connect: connection refused';

describeCheck(replicaReadinessFailing, {
  reports: [
    {
      name: 'a process that waits for the Service that it serves',
      facts: logging(call('policy.shop', 'dial tcp 203.0.113.7:443: connect: connection refused')),
      expect: { messageId: 'itself', data: { pods: 'Pod policy-1', service: 'shop/policy' } },
    },
    {
      name: 'the probe, if the log is about another Service',
      facts: logging(call('other.shop', 'dial tcp 203.0.113.7:443: connect: connection refused')),
      expect: { messageId: 'refused', data: closed },
    },
    {
      name: 'the probe, if its own Service responded',
      facts: logging(call('policy.shop', 'unexpected status 404')),
      expect: { messageId: 'refused', data: closed },
    },
    {
      name: 'a process that waits for another server, again and again',
      facts: logging(
        ['1', '2']
          .map(
            (at) =>
              `E1128 ${at} pool.go:77] "cannot connect" err="dial tcp: lookup db.shop.svc on 203.0.113.10:53: no such host"`,
          )
          .join('\n'),
      ),
      expect: {
        messageId: 'waits',
        data: {
          pods: 'Pod policy-1',
          host: 'db.shop.svc',
          detail: 'lookup db.shop.svc on 203.0.113.10:53: no such host',
        },
      },
    },
    {
      name: 'the probe, if the failed requests are from the start of the process',
      facts: logging(
        [
          ...Array.from({ length: 2 }, () => 'dial tcp: lookup db.shop.svc on 203.0.113.10:53: no such host'),
          ...Array.from({ length: 12 }, (_, at) => `I1128 synced ${at}`),
        ].join('\n'),
      ),
      expect: { messageId: 'refused', data: closed },
    },
    {
      name: 'a Pod that starts, and whose server listens on another port than that of its probe, by its log',
      facts: startingWith('"Serving webhook server" host="" port=9443'),
      expect: { messageId: 'elsewhere', data: { pods: 'Pod policy-1', port: 8443, served: 9443 } },
    },
    {
      name: 'a probe of another port than the one that the server opens, by its log',
      facts: {
        ...only(
          [running()],
          events(
            event(
              'Unhealthy',
              'Readiness probe failed: Get "https://198.51.100.5:10250/readyz": dial tcp 198.51.100.5:10250: connect: connection refused',
            ),
          ),
        ),
        logs: complete([['shop/policy-1/webhook', 'I1127 01:48:02.7 Serving securely on [::]:4443']]),
      },
      expect: { messageId: 'elsewhere', data: { pods: 'Pod policy-1', port: 10250, served: 4443 } },
    },
    {
      name: 'a probe over HTTP of another port than that of the health server, by its log',
      facts: {
        ...only([running()], events(event('Unhealthy', healthRefused))),
        logs: complete([['shop/policy-1/webhook', '"starting server" name="health probe" addr="[::]:8081"']]),
      },
      expect: { messageId: 'elsewhere', data: { pods: 'Pod policy-1', port: 8080, served: 8081 } },
    },
    {
      name: 'a probe over HTTP, if the log reports only the port of the webhook',
      facts: {
        ...only([running()], events(event('Unhealthy', healthRefused))),
        logs: complete([['shop/policy-1/webhook', 'I1127 01:48:02.7 Serving securely on [::]:4443']]),
      },
      expect: { messageId: 'refused' },
    },
    {
      name: 'a probe over HTTP of the port that serves the webhook',
      facts: only([probing({ port: 8443 })], events(event('Unhealthy', plain))),
      expect: { messageId: 'scheme', data: { pods: 'Pod policy-1', port: 8443, protocol: 'HTTP' } },
    },
    {
      name: 'a probe over gRPC of the port that serves the webhook',
      facts: only(
        [probedBy({ grpc: { port: 8443 } })],
        events(
          event(
            'Unhealthy',
            'Readiness probe failed: timeout: failed to connect service "198.51.100.7:8443" within 1s: context deadline exceeded',
          ),
        ),
      ),
      expect: {
        messageId: 'scheme',
        data: { pods: 'Pod policy-1', port: 8443, protocol: 'gRPC without TLS' },
      },
    },
    {
      name: 'a process that does not trust the server that it calls',
      facts: logging(`${distrust}\n${distrust}`),
      expect: {
        messageId: 'distrusts',
        data: {
          pods: 'Pod policy-1',
          host: '192.0.2.10:8443',
          detail: "x509: cannot validate certificate for 192.0.2.10 because it doesn't contain any IP SANs",
        },
      },
    },
    {
      name: 'the probe, if one request failed because of a certificate',
      facts: logging(distrust),
      expect: { messageId: 'refused' },
    },
    {
      name: 'metrics-server, which does not trust a kubelet: its log has the latest of repeated lines',
      facts: logging(`${scrape}\nI1128 10:05:01.7 1 server.go:192] "Failed probe" err="no metrics to serve"`),
      expect: {
        messageId: 'distrusts-kubelet',
        data: {
          pods: 'Pod policy-1',
          host: '192.0.2.10',
          detail: "x509: cannot validate certificate for 192.0.2.10 because it doesn't contain any IP SANs",
        },
      },
    },
    {
      name: 'metrics-server, which does not trust the kubelets of several nodes',
      facts: logging(`${scrape}\n${scrape.replaceAll('192.0.2.10', '192.0.2.11')}`),
      expect: {
        messageId: 'distrusts-kubelet',
        data: {
          pods: 'Pod policy-1',
          host: '192.0.2.11',
          detail: "x509: cannot validate certificate for 192.0.2.11 because it doesn't contain any IP SANs",
        },
      },
    },
    {
      name: 'the probe, if one node of several has a certificate that metrics-server rejects',
      facts: logging(`${scrape}\nI1128 10:05:01.7 1 x.go:1] "migrating database, not ready"`),
      expect: { messageId: 'refused' },
    },
    {
      name: 'the probe, if one request to port 10250 of another server than a kubelet failed',
      facts: logging(
        `${distrust.replace('192.0.2.10:8443', 'cert-manager-webhook.cert-manager.svc:10250')}\nI1128 10:05:01.7 1 x.go:1] "migrating database, not ready"`,
      ),
      expect: { messageId: 'refused' },
    },
    {
      name: 'a process that rejects the certificate of another server with port 10250',
      facts: logging(
        [1, 2]
          .map(() => distrust.replace('192.0.2.10:8443', 'cert-manager-webhook.cert-manager.svc:10250'))
          .join('\n'),
      ),
      expect: {
        messageId: 'distrusts',
        data: {
          pods: 'Pod policy-1',
          host: 'cert-manager-webhook.cert-manager.svc:10250',
          detail: "x509: cannot validate certificate for 192.0.2.10 because it doesn't contain any IP SANs",
        },
      },
    },
    {
      name: 'a response that comes too late',
      facts: only([probing({ port: 8443, scheme: 'HTTPS' })], events(event('Unhealthy', late))),
      expect: {
        messageId: 'late',
        data: { pods: 'Pod policy-1', probe: 'readiness', container: 'webhook', seconds: 1 },
      },
    },
    {
      name: 'a process that does not respond to this program either',
      facts: {
        ...only([probing({ port: 8443, scheme: 'HTTPS' })], events(event('Unhealthy', late))),
        probes: complete([
          [
            'validating/policy/policy.example.com',
            {
              level: 'review',
              serverName: 'policy.shop.svc',
              replicas: [
                {
                  pod: 'policy-1',
                  port: 8443,
                  ready: false,
                  notTried: [],
                  dialogues: ended({ stage: 'tls', kind: 'timed-out' }).dialogues ?? [],
                },
              ],
              notTried: [],
            },
          ],
        ]),
      },
      expect: {
        messageId: 'hangs',
        data: { pods: 'Pod policy-1', probe: 'readiness', container: 'webhook' },
      },
    },
    ...[
      [
        'a process that responds inside its Pod only',
        late,
        proxySays('dial tcp 198.51.100.7:8443: i/o timeout'),
        'lost',
      ],
      [
        'a status of the process, although packets are lost',
        'Readiness probe failed: HTTP probe failed with statuscode: 503',
        proxySays(''),
        'status',
      ],
      ['a process that responds to the control plane', late, { ...proxySays(''), reached: true }, 'late'],
    ].map(([name, text, proxy, messageId]) => ({
      name: name as string,
      facts: {
        ...only([probing({ port: 8443, scheme: 'HTTPS' })], events(event('Unhealthy', text as string))),
        probes: complete([
          [
            'validating/policy/policy.example.com',
            {
              level: 'review' as const,
              serverName: 'policy.shop.svc',
              replicas: [
                {
                  pod: 'policy-1',
                  port: 8443,
                  ready: false,
                  notTried: [],
                  dialogues: allows.dialogues ?? [],
                  proxy: proxy as ReturnType<typeof proxySays>,
                },
              ],
              notTried: [],
            },
          ],
        ]),
      },
      expect: { messageId: messageId as string },
    })),
    {
      name: 'a response that comes too late for a longer time',
      facts: only(
        [probedBy({ httpGet: { port: 8443, scheme: 'HTTPS' }, timeoutSeconds: 5 })],
        events(event('Unhealthy', late)),
      ),
      expect: {
        messageId: 'late',
        data: { pods: 'Pod policy-1', probe: 'readiness', container: 'webhook', seconds: 5 },
      },
    },
    {
      name: 'a probe whose program is not in the image',
      facts: only(
        [probedBy({ exec: { command: ['curl', '-f', 'https://127.0.0.1/'] } })],
        events(event('Unhealthy', `(combined from similar events): ${absent}`)),
      ),
      expect: {
        messageId: 'command',
        data: { pods: 'Pod policy-1', probe: 'readiness', container: 'webhook', command: 'curl' },
      },
    },
    {
      name: 'the error of such a probe of another port',
      facts: only([probing({ port: 8081 })], events(event('Unhealthy', plain))),
      expect: { messageId: 'probe' },
    },
    {
      name: 'the same over HTTPS',
      facts: only([probing({ port: 8443, scheme: 'HTTPS' })], events(event('Unhealthy', plain))),
      expect: { messageId: 'probe' },
    },
    {
      name: 'the same, refused',
      facts: only([probing({ port: 8443 })], events(event('Unhealthy', refused))),
      expect: { messageId: 'refused', names: { probed: 'deployment/policy' } },
    },
    {
      name: 'which of several containers is not ready',
      facts: only(
        [
          unready({
            spec: { nodeName: 'n1', containers: [{ name: 'webhook' }, { name: 'proxy' }] },
            status: {
              phase: 'Running',
              containerStatuses: [
                status({ ready: true, started: true, state: { running: { startedAt: ago(300) } } }),
                status({ name: 'proxy', started: true, state: { running: { startedAt: ago(300) } } }),
              ],
            },
          }),
        ],
        events(event('Unhealthy', other)),
      ),
      expect: {
        messageId: 'container',
        data: { container: 'proxy', pods: 'Pod policy-1', detail: brief(other) },
        names: { container: 'proxy' },
      },
    },
    {
      name: 'the container that the event is about, if several are not ready',
      facts: only(
        [twoUnready],
        events(
          event('Unhealthy', other, {
            involvedObject: { ...involved, fieldPath: 'spec.containers{proxy}' },
          }),
        ),
      ),
      expect: {
        messageId: 'container',
        data: { container: 'proxy', pods: 'Pod policy-1', detail: brief(other) },
      },
    },
    {
      name: 'no container for the error of another one, which is ready again',
      facts: only(
        [twoUnready],
        events(
          event('Unhealthy', refused, {
            involvedObject: { ...involved, fieldPath: 'spec.containers{third}' },
          }),
        ),
      ),
      expect: { messageId: 'silent' },
    },
    {
      name: 'no container if all are ready and the Pod is not',
      facts: only([
        unready({
          spec: twoUnready.spec,
          status: {
            phase: 'Running',
            conditions: [
              { type: 'Ready', status: 'False', reason: 'Other', message: 'set by another program' },
            ],
            containerStatuses: ['webhook', 'proxy'].map((name) =>
              status({ name, ready: true, started: true }),
            ),
          },
        }),
      ]),
      expect: { messageId: 'probe', data: { pods: 'Pod policy-1', detail: 'set by another program' } },
    },
    {
      name: 'a probe without a response',
      facts: only([running()], events(event('Unhealthy', refused))),
      expect: { messageId: 'refused', data: closed },
    },
    {
      name: 'the latest answer of the probe',
      facts: only(
        [running()],
        events(
          event('Unhealthy', refused, { lastTimestamp: ago(200) }),
          event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503'),
        ),
      ),
      expect: {
        messageId: 'status',
        data: { pods: 'Pod policy-1', container: 'webhook', probe: 'readiness', status: '503' },
      },
    },
    {
      name: 'a startup probe that takes too long',
      facts: only([running(120, { started: false })], events(event('Unhealthy', startup))),
      expect: { messageId: 'refused', data: { ...closed, probe: 'startup' } },
    },
    {
      name: 'a readiness gate without a controller',
      facts: only([byGate]),
      expect: { messageId: 'gate', data: { pods: 'Pod policy-1', detail: brief(gate) } },
    },
    {
      name: 'a Pod of which events must not be read',
      facts: only([running()], { events: forbidden() }),
      expect: { messageId: 'silent', data: { pods: 'Pod policy-1' } },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([running()], events(event('Unhealthy', refused))),
      expect: { messageId: 'some', data: { pods: 'Pod policy-1', detail: brief(refused) } },
    },
    {
      name: 'what one Pod waits for among others that answer',
      facts: beside([running()], waits),
      expect: { messageId: 'some', data: { pods: 'Pod policy-1', detail: waiting } },
    },
    {
      name: 'what a Pod waits for that is not the leader',
      facts: beside([electing], { ...waits, ...held('policy-good_0a1b') }),
      expect: {
        messageId: 'followers',
        data: { pods: 'Pod policy-1', detail: waiting, lease: 'shop/policy-leader' },
      },
    },
    {
      name: 'what a Pod waits for that has no leader election',
      facts: beside([running()], { ...waits, ...held('policy-good_0a1b') }),
      expect: { messageId: 'some', data: { pods: 'Pod policy-1', detail: waiting } },
    },
    {
      name: 'what a Pod of a DaemonSet waits for',
      facts: beside([ofDaemonSet(electing)], {
        ...waits,
        ...held('policy-good_0a1b'),
        pods: lists({ 'shop/policy': [ofDaemonSet(good), ofDaemonSet(electing)] }),
      }),
      expect: { messageId: 'some', data: { pods: 'Pod policy-1', detail: waiting } },
    },
    {
      name: 'a Pod that is not the leader, and waits for nothing that only the leader has',
      facts: beside([running()], { ...events(event('Unhealthy', refused)), ...held('policy-good_0a1b') }),
      expect: { messageId: 'some', data: { pods: 'Pod policy-1', detail: brief(refused) } },
    },
    {
      name: 'the new Pod of a rollout, and not the old ones that answer',
      facts: beside([
        as(running(), {
          name: 'policy-new-1',
          creationTimestamp: ago(400),
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: 'ReplicaSet',
              name: 'policy-new',
              uid: 'rs-new',
              controller: true,
            },
          ],
        }),
      ]),
      expect: { messageId: 'some', data: { pods: 'Pod policy-new-1', detail: 'no reason given' } },
    },
  ],
  reportsNothing: [
    ...silences(running(), events(event('Unhealthy', refused))),
    {
      name: 'the container has run for seconds only',
      facts: only([running(5)], events(event('Unhealthy', refused))),
    },
    {
      name: 'the container has run for seconds only, and its log names the port of the probe',
      facts: startingWith('"Serving webhook server" host="" port=8443'),
    },
    {
      name: 'the container has run for seconds only, and has opened the first of two ports',
      facts: startingWith('"Serving webhook server" host="" port=9443', [8443, 9443]),
    },
    {
      name: 'the container has run for seconds only, and has opened a port perhaps without TLS',
      facts: startingWith('listening on :8080'),
    },
    {
      name: 'the container has run for seconds only, and has opened the port of its metrics',
      facts: startingWith('Serving metrics securely on :9443'),
    },
    {
      name: 'the startup probe still has time',
      facts: only([running(30, { started: false })], events(event('Unhealthy', startup))),
    },
    {
      name: 'the container crashes',
      facts: only([running(5, { restartCount: 2, lastState: { terminated: { exitCode: 1 } } })]),
    },
    {
      name: 'a Pod has done its work',
      facts: only([unready({ status: { phase: 'Succeeded', containerStatuses: [] } })]),
    },
  ],
  isUnknown: doubts,
});

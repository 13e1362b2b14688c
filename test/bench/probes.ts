// Measures probes: 100 replicas behind 20 callouts, over port-forwards that another process serves on
// loopback.
// node test/bench/probes.ts [HANGING]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import { probe } from '../../src/collect/probes/probe.ts';
import { startBackend } from '../../src/demo/backend/backend.ts';
import { complete } from '../../src/facts/lookup.ts';
import { authority, issue } from '../support/certificates.ts';
import { portForwardServer } from '../support/port-forward-server.ts';
import { service, slice, snapshotOf, webhook } from '../support/snapshot.ts';

const callouts = 20;
const replicas = 5;

if (process.send) {
  const ca = await authority({ cn: 'bench-ca' });
  const pair = await issue(ca, { dns: ['*.shop.svc'] });
  const healthy = await startBackend({ certificate: pair });
  const hanging = await startBackend({ certificate: pair, fault: 'hang-tls' });
  const server = await portForwardServer({ kind: 'forward' });
  process.send({ url: server.url, healthy: healthy.port, hanging: hanging.port });
} else {
  const hanging = Number(process.argv[2] ?? 0);
  const child = fork(new URL(import.meta.url));
  const [ports] = (await once(child, 'message')) as [{ url: string; healthy: number; hanging: number }];
  const names = Array.from({ length: callouts }, (_, index) => `policy-${index}`);
  const asked = names.map((name) =>
    webhook({
      configuration: name,
      webhook: `${name}.example.com`,
      timeoutSeconds: 5,
      client: { service: { namespace: 'shop', name, port: 443 } },
    }),
  );
  let left = hanging;
  const configmaps = {
    group: '',
    version: 'v1',
    resource: 'configmaps',
    kind: 'ConfigMap',
    singular: 'configmap',
    namespaced: true,
    verbs: ['create'],
  };
  const facts = snapshotOf({
    served: complete([['served', { resources: [configmaps], stale: [] }]]),
    callouts: asked,
    services: complete(
      names.map((name) => [`shop/${name}`, service({ ports: [{ name: 'https', port: 443 }] }, { name })]),
    ),
    endpointSlices: complete(
      names.map((name) => {
        const endpoints = Array.from({ length: replicas }, (_, index) => ({
          addresses: [`198.51.100.${index}`],
          targetRef: { kind: 'Pod', namespace: 'shop', name: `${name}-${index}` },
        }));
        const at = (port: number) => ({ ports: [{ name: 'https', protocol: 'TCP', port }] });
        const stuck = endpoints.filter(() => left-- > 0);
        const sound = endpoints.filter((endpoint) => !stuck.includes(endpoint));
        return [`shop/${name}`, [slice(stuck, at(ports.hanging)), slice(sound, at(ports.healthy))]] as const;
      }),
    ),
  }).facts;
  const opened = await openConnection({ server: ports.url }, {});
  const prober = await opened.prober();
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const used = process.cpuUsage();
  const started = performance.now();
  const { probes } = await probe(prober, facts, asked, { level: 'review' });
  const took = performance.now() - started;
  const { user, system } = process.cpuUsage(used);
  clearInterval(watch);
  const connections = probes.all().flatMap((found) => found.replicas.flatMap((replica) => replica.dialogues));
  const answered = connections.filter(({ handshake }) => handshake !== undefined).length;
  console.log(
    `${connections.length} replicas, ${answered} answered, ${Math.round(took)} ms (${Math.round((user + system) / 1000)} ms of processor here), ` +
      `resident ${Math.round(before / 2 ** 20)} MiB before, at most ${Math.round(most / 2 ** 20)} MiB`,
  );
  opened.reader.close();
  child.kill();
}

import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { CalloutReport, DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import { backendObjects, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { dropPackets, rejectPackets } from '../cluster/packet-filter.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { dialAnew } from './probes/dial-anew.ts';
import { afar, type ProbeCase, probeCases } from './probes/probe-cases.ts';

/** Links that a call passes. */
const passed: readonly string[] = ['routing', 'backend', 'replica', 'tls', 'response', 'network'];
const ca = await authority({ cn: 'webhook-ca' });
const otherCa = await authority({ cn: 'other-ca' });

describe('doctor on a real node: probes', function () {
  this.timeout(400_000);
  needs('node', 'own-node');
  let scene: Scene;
  let reports: Record<'review' | 'connect', DoctorReport>;
  let said: ReadonlyMap<string, Promise<Error | undefined>>;
  const undo: (() => Promise<void>)[] = [];

  /** The API server's error is as reported, and as `--probe connect` predicted without a dry run. */
  const foreseen = async (one: ProbeCase): Promise<void> => {
    const levels = one.foreseen ? (['review', 'connect'] as const) : (['review'] as const);
    const sentences = levels.map(
      (level) => saidAbout(reports[level], one.name, scene).callout.verdict.error ?? '',
    );
    for (const sentence of new Set(sentences)) await apiServerSays(scene, one, sentence);
  };

  before(async () => {
    const { client, kubeconfig } = await nodeCluster();
    scene = await openScene(client);
    const cases = probeCases(scene.namespace);
    await mayLead(scene, scene.namespace);
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: afar(scene.namespace) } });
    await mayLead(scene, afar(scene.namespace));
    await Promise.all(cases.map((one) => place(scene, one)));
    await Promise.all(cases.map((one) => running(scene, one)));
    for (const one of cases) undo.push(...(await harm(scene, one)));
    const ask = async (level: string): Promise<DoctorReport> => {
      const names = cases.map(({ name }) => `${name}-${scene.namespace}`);
      const args = ['doctor', ...names, '--kubeconfig', kubeconfig, '--probe', level, '-o', 'json'];
      const { stdout, stderr } = await plugin([...args, '--severity', 'info']);
      if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
      return JSON.parse(stdout) as DoctorReport;
    };
    reports = { review: await ask('review'), connect: await ask('connect') };
    // Hanging ones cost their timeout: all at once.
    const broken = cases.filter(({ state }) => state !== 'healthy');
    said = new Map(
      broken.map((one) => [
        one.name,
        foreseen(one).then(
          () => undefined,
          (error: Error) => error,
        ),
      ]),
    );
    await Promise.all(said.values());
  });
  after(async () => {
    for (const step of undo) await step();
    await scene?.leave();
  });

  for (const { name } of probeCases('-')) {
    it(`reports what is ${name}`, async () => {
      const one = probeCases(scene.namespace).find((other) => other.name === name) as ProbeCase;
      const { callout, findings } = saidAbout(reports.review, name, scene);
      const { verdict } = callout;
      const { state, link, because, confidence, error } = verdict;
      const whole = JSON.stringify({ verdict, replicas: callout.replicas, findings }, null, 1);
      expect({ state, link, because: because[0], confidence }, whole).to.deep.equal({
        state: one.state,
        link: one.link,
        because: one.because,
        confidence: 'observed',
      });
      if (one.checks !== undefined) {
        const found = findings.filter((finding) => passed.includes(finding.link)).map(({ check }) => check);
        const certain = [...new Set(found)].filter((check) => check !== one.perhaps);
        expect(certain.sort(), whole).to.deep.equal(one.checks);
      }
      if (one.also !== undefined) expect(findings.map(({ check }) => check)).to.include(one.also);
      if (one.replicas !== undefined) {
        expect(callout.replicas.map((replica) => replica.state).sort(), whole).to.deep.equal(one.replicas);
      }
      const cause = findings.find(({ check }) => check === one.because);
      if (one.says !== undefined) expect(cause?.message).to.match(one.says);
      if (cause !== undefined) expect(cause.confidence).to.equal('observed');
      if (one.state === 'healthy') return;
      expect(error, whole).to.be.a('string');
      const wrong = await said.get(name);
      if (wrong !== undefined) throw wrong;
    });
  }
});

function saidAbout(
  report: DoctorReport,
  name: string,
  { namespace }: Scene,
): { callout: CalloutReport; findings: readonly FindingReport[] } {
  const callout = report.callouts.find(({ configuration }) => configuration === `${name}-${namespace}`);
  if (callout === undefined) throw new Error(`doctor knows no ${name}`);
  const id = `validating/${callout.configuration}/${callout.webhook}`;
  return { callout, findings: report.findings.filter((finding) => finding.callout === id) };
}

/** The default account of the scene may acquire Leases in that namespace. */
async function mayLead(scene: Scene, namespace: string): Promise<void> {
  const metadata = { name: 'leader', namespace };
  const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] }];
  await scene.create({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules });
  await scene.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'leader' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: scene.namespace }],
  });
}

const labelOf = (name: string) => ({ case: name });

/** The backend, and a webhook for ConfigMaps with the case's label only. */
async function place(scene: Scene, { name, backend }: ProbeCase): Promise<void> {
  for (const object of await backendObjects(scene.namespace, { name, ca, ...backend })) {
    await scene.create(object);
  }
  const webhook = { objectSelector: { matchLabels: labelOf(name) }, timeoutSeconds: 5 };
  await scene.create(validatingWebhook(scene.namespace, { service: name, caBundle: ca.cert, webhook }));
}

const podsOf = (scene: Scene, name: string): Promise<KubeObject[]> =>
  scene.client.list('v1', 'Pod', scene.namespace, `app=${name}`);

async function running(scene: Scene, { name, backend }: ProbeCase): Promise<void> {
  const wanted = backend?.replicas ?? 2;
  const gated = backend?.args?.includes('--leader-gated') === true && name !== 'leaderless';
  await waitFor(
    `the Pods of ${name}`,
    async () => {
      const pods = await podsOf(scene, name);
      const ready = pods.filter(({ status }) =>
        status.conditions?.some(
          (one: { type: string; status: string }) => one.type === 'Ready' && one.status === 'True',
        ),
      );
      const lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace: name === 'afar' ? afar(scene.namespace) : scene.namespace },
      };
      const leads = !gated || ((await scene.client.get(lease))?.spec?.holderIdentity ?? '') !== '';
      return leads && pods.length === wanted && ready.length === (name === 'readiness' ? 1 : wanted);
    },
    { timeout: 120_000 },
  );
  await waitFor(`the EndpointSlice of ${name}`, async () => {
    const slices = await scene.client.list(
      'discovery.k8s.io/v1',
      'EndpointSlice',
      scene.namespace,
      `kubernetes.io/service-name=${name}`,
    );
    const endpoints = slices.flatMap(
      (slice) => (slice.endpoints ?? []) as { conditions?: { ready?: boolean } }[],
    );
    return (
      endpoints.filter(({ conditions }) => conditions?.ready).length === (name === 'readiness' ? 1 : wanted)
    );
  });
}

/** Processes of a Pod, by its uid in their cgroup. */
function processesOf(uid: string): readonly number[] {
  const marks = [uid, uid.replaceAll('-', '_')];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const cgroup = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
        const program = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return marks.some((mark) => cgroup.includes(mark)) && !program.startsWith('/pause');
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Causes the fault of the case; returns how to end it. */
async function harm(scene: Scene, { name, harm: how }: ProbeCase): Promise<readonly (() => Promise<void>)[]> {
  const [pod] = await podsOf(scene, name);
  switch (how) {
    case 'stop': {
      const processes = processesOf(pod?.metadata.uid as string);
      expect(processes, `processes of ${name}`).to.not.deep.equal([]);
      for (const pid of processes) process.kill(pid, 'SIGSTOP');
      return [
        async () => {
          for (const pid of processes) process.kill(pid, 'SIGCONT');
        },
      ];
    }
    case 'drop':
      return [await dropPackets(pod?.status.podIP as string, 8443)];
    case 'drop-new': {
      await waitFor('a connection that is kept', async () => (await asked(scene, name)) === 'created');
      return [await dropPackets(pod?.status.podIP as string, 8443, 'new connections')];
    }
    case 'policy': {
      const spec = {
        podSelector: { matchLabels: { app: name } },
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 8443, protocol: 'TCP' }] }],
      };
      await scene.create({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name },
        spec,
      });
      return [await dropPackets(pod?.status.podIP as string, 8443)];
    }
    case 'no-route':
      return [await rejectPackets(pod?.status.podIP as string, 8443, 'icmp-host-unreachable')];
    case 'wrong-port': {
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: scene.namespace } };
      await scene.client.patch(service, {
        spec: { ports: [{ name: 'https', port: 443, targetPort: 9999 }] },
      });
      await waitFor('the slice with the other port', async () => {
        const slices = await scene.client.list(
          'discovery.k8s.io/v1',
          'EndpointSlice',
          scene.namespace,
          `kubernetes.io/service-name=${name}`,
        );
        return slices.some(({ ports }) => (ports as { port: number }[]).some(({ port }) => port === 9999));
      });
      return [];
    }
    case 'stale-lease': {
      const owner = String(pod?.metadata.name).replace(/-[a-z0-9]{5}$/, '-zzzzz');
      const spec = {
        holderIdentity: `${owner}_9c1b6a7e-4a0e-4b0c-9f43-5d7f6c5b4a3e`,
        leaseDurationSeconds: 15,
        renewTime: '2026-01-01T00:00:00.000000Z',
      };
      await scene.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec });
      return [];
    }
    case 'swapped': {
      const second = `${name}-second`;
      const pair = await issue(otherCa, { dns: [`${name}.${scene.namespace}.svc`] });
      const [secret, , deployment] = await backendObjects(scene.namespace, { name: second, ca, replicas: 1 });
      await scene.create({
        ...(secret as KubeObject),
        stringData: { 'tls.crt': pair.cert, 'tls.key': pair.key },
      });
      const labels = { app: name, version: 'second' };
      const spec = deployment?.spec;
      const template = { ...spec.template, metadata: { labels } };
      const selector = { matchLabels: labels };
      await scene.create({ ...(deployment as KubeObject), spec: { ...spec, selector, template } });
      await running(scene, { name, backend: { replicas: 2 }, state: 'degraded' });
      return [];
    }
    case 'second-version': {
      const objects = await backendObjects(scene.namespace, { name, ca, replicas: 1 });
      const deployment = objects.find(({ kind }) => kind === 'Deployment') as KubeObject;
      const template = deployment.spec.template;
      const labels = { app: name, version: 'second' };
      const [container] = template.spec.containers;
      const containers = [
        {
          ...container,
          args: [...container.args, '--answer', 'raw', '--status', '503'],
        },
      ];
      await scene.create({
        ...deployment,
        metadata: { name: `${name}-second` },
        spec: {
          ...deployment.spec,
          selector: { matchLabels: labels },
          template: { ...template, metadata: { labels }, spec: { ...template.spec, containers } },
        },
      });
      await running(scene, { name, backend: { replicas: 3 }, state: 'degraded' });
      return [];
    }
    case 'rollout': {
      const deployment = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: scene.namespace },
      };
      const template = (await scene.client.get(deployment))?.spec.template;
      const [container] = template.spec.containers;
      const args = [...container.args, '--answer', 'raw', '--status', '503'];
      // The new Pod accepts connections, and counts as available only after an hour, so that the rollout does
      // not continue.
      await scene.client.patch(deployment, {
        spec: {
          minReadySeconds: 3600,
          progressDeadlineSeconds: 7200,
          strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          template: { spec: { containers: [{ ...container, args }] } },
        },
      });
      await running(scene, { name, backend: { replicas: 3 }, state: 'degraded' });
      return [];
    }
    default:
      return [];
  }
}

const withoutUids = (text: string): string =>
  text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID');

/** The API server's response to a dry run that matches this case's webhook. */
function asked(scene: Scene, name: string): Promise<string> {
  const metadata = { generateName: 'probe-', labels: labelOf(name) };
  return scene.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, { dryRun: true }).then(
    () => 'created',
    (error: Error) => withoutUids(error.message),
  );
}

const denied = 'admission webhook ';

/**
 * The API server's responses to its next calls. If they depend on the replica, each goes over a new
 * connection, at least twenty times and until one fails; only `sentence` and success are allowed.
 */
async function apiServerSays(
  scene: Scene,
  { name, state, also }: ProbeCase,
  sentence: string,
): Promise<void> {
  const wanted = withoutUids(sentence.startsWith(denied) ? sentence : `Internal error occurred: ${sentence}`);
  const said: string[] = [];
  if (also === 'kept-connection-hides-break') await dialAnew(scene.client, `${name}-${scene.namespace}`);
  await waitFor(
    `the API server to say: ${wanted}`,
    async () => {
      if (state === 'degraded') await dialAnew(scene.client, `${name}-${scene.namespace}`);
      said.push(await asked(scene, name));
      return said.includes(wanted) && (state !== 'degraded' || said.length >= 20);
    },
    { timeout: 60_000, interval: state === 'degraded' ? 50 : 300 },
  ).catch(() => expect(said.at(-1)).to.equal(wanted));
  if (state === 'degraded') expect([...new Set(said)]).to.have.members([wanted, 'created']);
}

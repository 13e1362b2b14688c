import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { wholeSeconds } from '../../src/basics/time.ts';
import type { Client, KubeObject } from '../cluster/client.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Fault, faultyProxy, type Passing } from '../support/faulty-proxy.ts';
import { type Ended, plugin, startPlugin } from '../support/plugin.ts';
import { changeSchemaErrors } from '../support/schema.ts';

const api = 'admissionregistration.k8s.io/v1';
const named = (name: string) => ({
  apiVersion: api,
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
});

/** A configuration with two webhooks without a backend, limited to one namespace. */
const configuration = (name: string, namespace: string, over: Record<string, unknown> = {}): KubeObject => ({
  ...named(name),
  webhooks: ['first', 'second'].map((webhook) => ({
    name: `${webhook}.${name}.example.com`,
    clientConfig: { service: { namespace, name: 'gone', port: 443 } },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 1,
    ...over,
  })),
});

/** Everything that undo restores, as bytes. */
function bytes(object: KubeObject | undefined): string {
  if (object === undefined) return 'absent';
  const { resourceVersion: _, generation: __, managedFields: ___, ...metadata } = object.metadata;
  return JSON.stringify({ ...object, metadata });
}

const policies = (object: KubeObject | undefined): string =>
  (object?.webhooks ?? []).map(({ failurePolicy }: { failurePolicy: string }) => failurePolicy).join();

const records = (object: KubeObject | undefined): string[] =>
  Object.keys(object?.metadata.annotations ?? {}).filter((key) => key.startsWith('kubectl-webhook/change-'));

const stateHome = (): string => mkdtempSync(join(tmpdir(), 'kubectl-webhook-state-'));

/** A user on one machine. */
function person(kubeconfig: string, state = stateHome()) {
  const env = { XDG_STATE_HOME: state, KUBECONFIG: kubeconfig };
  const run = (...args: string[]): Promise<Ended> => plugin(args, env);
  return {
    state,
    run,
    start: (...args: string[]) => startPlugin(args, env),
    /** The report of a command, which must be one valid document. */
    async report(...args: string[]) {
      // The default is for users; here nothing is undone unless requested.
      const brief = /^fail/.test(args[0] ?? '') && !args.includes('--watch') ? ['--watch', '300ms'] : [];
      const { code, stdout, stderr } = await run(...args, ...brief, '-o', 'json');
      expect(stdout, stderr).to.match(/^\{/);
      const report = JSON.parse(stdout);
      expect(changeSchemaErrors(report), stdout).to.deep.equal([]);
      return { code, stderr, changes: report.changes, report, last: report.changes[0] };
    },
    journal(): { state: string; why?: string }[] {
      const folder = join(state, 'kubectl-webhook', 'journal');
      return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
    },
  };
}

const isWrite = ({ method, path }: Passing): boolean =>
  method === 'PATCH' && !path.includes('dryRun') && path.includes('webhookconfigurations');

/** True for a read or write of a stored object. */
const isStored = ({ method, path }: Passing): boolean =>
  method !== 'GET' && !path.includes('dryRun') && !path.includes('selfsubjectaccessreviews');

/** The objects that `--restore-with=cronjob` creates, by kind. */
const restorerKinds = [
  ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'],
  ['v1', 'ServiceAccount'],
  ['batch/v1', 'CronJob'],
] as const;

describe('a change of a cluster', () => {
  needs('api-server');
  const scene = useScene(() => apiServer());
  const live = (name: string): Promise<KubeObject | undefined> => scene.client.get(named(name));

  /** Creates the configuration and returns it as stored. */
  async function made(name: string, over: Record<string, unknown> = {}): Promise<KubeObject> {
    return scene.create(configuration(name, scene.namespace, over));
  }

  /** Names of the existing restorer objects, of one change or of any. */
  const restorersLeft = async (id = ''): Promise<string[]> => {
    const lists = await Promise.all(
      restorerKinds.map(([apiVersion, kind]) => scene.client.list(apiVersion, kind)),
    );
    return lists
      .flat()
      .map(({ metadata }) => metadata.name ?? '')
      .filter((name) => name.startsWith(`kubectl-webhook-restore-${id}`));
  };

  const tryConfigMap = (client: Client): Promise<string> =>
    client
      .create(
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { generateName: 'try-', namespace: scene.namespace },
        },
        { dryRun: true },
      )
      .then(
        () => 'created',
        (error: Error) => error.message,
      );

  it('sets fail open, is verified by a dry run of the API server, and is restored byte for byte', async () => {
    const before = await made('whole');
    await waitFor('the refusal', async () =>
      (await tryConfigMap(scene.client)).includes('failed calling webhook'),
    );
    const me = person(scene.kubeconfig);
    const { code, last } = await me.report('failopen', 'whole', '--yes');
    expect(code).to.equal(0);
    expect(last).to.include({ state: 'verified', remedy: 'failopen' });
    expect(last.checked.join()).to.include('would now create a ConfigMap');
    expect(last.steps).to.have.lengthOf(2);
    expect(last.steps[0]).to.deep.include({
      path: '/webhooks/0/failurePolicy',
      before: 'Fail',
      after: 'Ignore',
    });
    expect(await tryConfigMap(scene.client)).to.equal('created');
    const open = await live('whole');
    expect(policies(open)).to.equal('Ignore,Ignore');
    expect(records(open)).to.deep.equal([`kubectl-webhook/change-${last.id}`]);
    const managers = (open?.metadata.managedFields as { manager: string }[] | undefined)?.map(
      ({ manager }) => manager,
    );
    expect(managers).to.include('kubectl-webhook');
    const [file = ''] = readdirSync(join(me.state, 'kubectl-webhook', 'journal'));
    expect(statSync(join(me.state, 'kubectl-webhook', 'journal', file)).mode & 0o777).to.equal(0o600);

    const undone = await me.report('undo', '--yes');
    expect(undone.code).to.equal(0);
    expect(undone.last).to.include({ state: 'undone', id: last.id });
    expect(bytes(await live('whole'))).to.equal(bytes(before));
    await waitFor('the same failure', async () =>
      (await tryConfigMap(scene.client)).includes('failed calling webhook'),
    );
    const listed = await me.report('changes');
    expect(listed.changes.map(({ state }: { state: string }) => state)).to.deep.equal(['undone']);
    expect((await me.report('undo', '--yes')).changes).to.deep.equal([]);
  });

  it('runs the printed command for several configurations as it stands, and one undo restores all of them', async () => {
    // The names of the program and of the command are names of configurations, too.
    const names = ['webhook', 'failopen', 'third'];
    const before = await Promise.all(names.map((name) => made(name)));
    const me = person(scene.kubeconfig);
    const { stdout } = await me.run('doctor', ...names, '-o', 'json');
    const words: string[] = JSON.parse(stdout).next.command.split(' ').slice(2);
    expect(words.slice(0, 4).toSorted()).to.deep.equal(['failopen', ...names].toSorted());
    // With `--for`, the program waits for the end of that time.
    const at = words.indexOf('--for');
    const { code, last } = await me.report(...words.toSpliced(at, 2), '--yes');
    expect([words[at + 1], code, last.state]).to.deep.equal(['30m', 0, 'verified']);
    const opened = await Promise.all(names.map(live));
    expect(opened.map(policies)).to.deep.equal(names.map(() => 'Ignore,Ignore'));
    expect((await me.report('undo', last.id, '--yes')).code).to.equal(0);
    expect((await Promise.all(names.map(live))).map(bytes)).to.deep.equal(before.map(bytes));
  });

  it('changes only the named webhook', async () => {
    const before = await made('one');
    const me = person(scene.kubeconfig);
    expect((await me.report('failopen', 'one/second.one.example.com', '--yes')).code).to.equal(0);
    expect(policies(await live('one'))).to.equal('Fail,Ignore');
    expect((await me.report('undo', 'one', '--yes')).code).to.equal(0);
    expect(bytes(await live('one'))).to.equal(bytes(before));
  });

  it('changes nothing without a confirmation, in a dry run, for an unknown name, or for a policy engine', async () => {
    const before = await made('asked');
    const engine = await scene.create({
      ...named('gatekeeper-validating-webhook-configuration'),
      webhooks: configuration('x', scene.namespace)
        .webhooks.slice(0, 1)
        .map((webhook: object) => ({
          ...webhook,
          name: 'validation.gatekeeper.sh',
        })),
    });
    const me = person(scene.kubeconfig);
    const silent = await me.run('failopen', 'asked');
    expect(silent.code).to.equal(2);
    expect(silent.stderr).to.match(/no terminal to confirm on: use --yes/);
    for (const how of ['client', 'server']) {
      const { code, last } = await me.report('failopen', 'asked', `--dry-run=${how}`);
      expect(code).to.equal(0);
      expect(last.state).to.equal('planned');
      expect(last.diff).to.match(/-\s+failurePolicy: Fail\n\+\s+failurePolicy: Ignore/);
    }
    expect((await me.run('failopen', 'absent', '--yes')).code).to.equal(2);
    expect((await me.run('failopen', 'crd/absent', '--yes')).code).to.equal(2);
    await scene.create({ ...named('empty'), webhooks: [] });
    const empty = await me.run('failopen', 'empty', '--yes');
    expect(empty.code).to.equal(2);
    expect(empty.stderr).to.match(/validating\/empty has no webhooks/);
    const refused = await me.report('failopen', 'gatekeeper-validating-webhook-configuration', '--yes');
    expect(refused.code).to.equal(1);
    expect(refused.last.state).to.equal('refused');
    expect(refused.last.why).to.match(/Gatekeeper enforces its constraints.*--i-accept-unchecked-admission/);
    const closed = await me.report('failclosed', 'asked', '--yes');
    expect(closed.last).to.include({
      state: 'verified',
      why: 'the object already has this value; nothing was changed',
    });
    expect(bytes(await live('asked'))).to.equal(bytes(before));
    expect(bytes(await live('gatekeeper-validating-webhook-configuration'))).to.equal(bytes(engine));
    expect((await me.report('changes')).changes).to.deep.equal([]);
  });

  it('disables a policy engine, and restores a failing webhook, only with the flag for it', async () => {
    const webhooks = configuration('x', scene.namespace).webhooks.slice(0, 1);
    const before = await scene.create({
      ...named('engine'),
      webhooks: webhooks.map((webhook: object) => ({ ...webhook, name: 'validation.gatekeeper.sh' })),
    });
    const me = person(scene.kubeconfig);
    const opened = await me.report('failopen', 'engine', '--yes', '--i-accept-unchecked-admission');
    expect(opened.last.state).to.equal('verified');
    const refused = await me.report('failclosed', 'engine', '--yes');
    expect(refused.last.state).to.equal('refused');
    expect(refused.last.why).to.match(/fail now: .*--i-accept-refused-requests/);
    const closed = await me.report('failclosed', 'engine', '--yes', '--i-accept-refused-requests');
    expect(closed.last.state).to.equal('verified');
    expect(policies(await live('engine'))).to.equal('Fail');
    expect((await me.report('undo', closed.last.id, '--yes')).last.state).to.equal('undone');
    expect((await me.report('undo', opened.last.id, '--yes')).last.state).to.equal('undone');
    expect(bytes(await live('engine'))).to.equal(bytes(before));
  });

  it('keeps the reason and its author, and prints both, also to who changes it again', async () => {
    await made('reasons');
    const me = person(scene.kubeconfig);
    const reason = 'INC-42: policy is down';
    const planned = await me.run('failopen', 'reasons', '--dry-run=server', '--for', '1h', '--detach');
    expect(planned.stdout).to.match(/Unchanged|Unchecked/);
    expect(planned.stdout).to.match(/With\s+--detach\s+it\s+is\s+not\s+restored\s+automatically\s+at\s+\S+Z/);
    const opening = ['failopen', 'reasons', '--yes', '--for', '1h', '--detach'];
    const { last } = await me.report(...opening, '--reason', reason);
    expect(last).to.include({ state: 'verified', reason });
    expect(last.by).to.match(/\S/);
    expect(last.warnings.join()).to.include('not restored automatically');
    const there = person(scene.kubeconfig);
    expect((await there.report('changes')).last).to.include({ id: last.id, reason, by: last.by });
    const shown = (await there.run('changes')).stdout.replace(/\s+/g, ' ');
    expect(shown).to.include(`by ${last.by}`).and.to.include(reason);
    const doctor = await there.run('doctor', 'reasons', '--probe', 'none', '-o', 'json');
    expect(JSON.parse(doctor.stdout).callouts[0].opened).to.include({ reason, by: last.by, at: last.at });
    const again = await there.report(...opening);
    expect(again.last.why).to.include(
      `already open since ${wholeSeconds(last.at)}, by ${last.by} (${reason})`,
    );
    expect(again.last.why).to.include(`to be restored at ${wholeSeconds(last.until)}`);
    expect(again.code).to.equal(0);

    const undone = await there.report('undo', 'reasons', '--yes');
    expect(undone.last.warnings).to.deep.equal([
      'Calls to first.reasons.example.com fail now: the API server will refuse every request that it matches.',
      'Calls to second.reasons.example.com fail now: the API server will refuse every request that it matches.',
    ]);
    const bare = await me.report('failopen', 'reasons', '--yes');
    expect(bare.last).not.to.have.any.keys('reason', 'by');
    await me.report('undo', '--yes');
  });

  it('is restored on another machine from the annotation, and here from the journal', async () => {
    const before = await made('machines');
    const [here, there] = [person(scene.kubeconfig), person(scene.kubeconfig)];
    const first = await here.report('failopen', 'machines', '--yes');
    expect((await there.report('changes')).last).to.deep.include({ id: first.last.id, knownBy: ['cluster'] });
    expect((await there.report('undo', '--yes')).last.state).to.equal('undone');
    expect(bytes(await live('machines'))).to.equal(bytes(before));
    expect((await here.report('undo', '--yes')).changes).to.deep.equal([]);

    const second = await here.report('failopen', 'machines', '--yes');
    await scene.client.patch(named('machines'), {
      metadata: { annotations: { [`kubectl-webhook/change-${second.last.id}`]: null } },
    });
    expect((await there.report('undo', '--yes')).changes).to.deep.equal([]);
    expect((await here.report('undo', '--yes')).last.state).to.equal('undone');
    expect(bytes(await live('machines'))).to.equal(bytes(before));
  });

  it('finds its webhook after a user reordered the configuration', async () => {
    await made('order');
    const me = person(scene.kubeconfig);
    await me.report('failopen', 'order/first.order.example.com', '--yes');
    const open = await live('order');
    await scene.client.request(
      'PATCH',
      `/apis/${api}/validatingwebhookconfigurations/order`,
      [{ op: 'replace', path: '/webhooks', value: open?.webhooks.toReversed() }],
      'application/json-patch+json',
    );
    expect((await me.report('undo', '--yes')).last.state).to.equal('undone');
    expect(policies(await live('order'))).to.equal('Fail,Fail');
  });

  it('keeps later changes by others', async () => {
    await made('since');
    const me = person(scene.kubeconfig);
    const { last } = await me.report('failopen', 'since/first.since.example.com', '--yes');
    const [webhook] = (await live('since'))?.webhooks ?? [];
    await scene.client.delete(named('since'));
    await scene.create({ ...named('since'), webhooks: [{ ...webhook, failurePolicy: 'Ignore' }] });
    const undone = await me.report('undo', last.id, '--yes');
    expect(undone.code).to.equal(1);
    expect(undone.last.why).to.match(/recreated since/);
    expect(policies(await live('since'))).to.equal('Ignore');
  });

  it('names at once who reverts the change', async () => {
    await made('reverted');
    const me = person(scene.kubeconfig);
    let ended = false;
    const controller = (async () => {
      while (!ended) {
        const now = await live('reverted');
        if (policies(now).includes('Ignore')) {
          const path = `/apis/${api}/validatingwebhookconfigurations/reverted?fieldManager=argocd-controller`;
          const value = now?.webhooks.map((webhook: object) => ({ ...webhook, failurePolicy: 'Fail' }));
          await scene.client.request(
            'PATCH',
            path,
            [{ op: 'replace', path: '/webhooks', value }],
            'application/json-patch+json',
          );
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    const { code, last } = await me.report('failopen', 'reverted', '--yes', '--watch', '3s');
    ended = true;
    await controller;
    expect(code).to.equal(1);
    expect(last.state).to.equal('applied');
    expect(last.why).to.match(/failurePolicy is "Fail" again: argocd-controller wrote it/);
  });

  it('restores in time with --for, and stays changed on Ctrl-C without a terminal', async () => {
    const before = await made('timed');
    const me = person(scene.kubeconfig);
    const timed = await me.report('failopen', 'timed', '--yes', '--for', '3s');
    expect(timed.code).to.equal(0);
    expect(timed.last.state).to.equal('undone');
    expect(bytes(await live('timed'))).to.equal(bytes(before));

    const running = me.start('failopen', 'timed', '--yes', '--watch', '300ms', '--for', '1h', '-o', 'json');
    await waitFor('the journal', async () => me.journal().some(({ state }) => state === 'verified'), {
      timeout: 20_000,
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    running.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(code).to.equal(130);
    expect(JSON.parse(stdout).changes[0].why).to.match(/stays Ignore until someone runs/);
    expect(policies(await live('timed'))).to.equal('Ignore,Ignore');
    expect((await me.report('undo', '--yes')).last.state).to.equal('undone');
    expect(bytes(await live('timed'))).to.equal(bytes(before));
  });

  it('creates a CronJob that restores it and has no other permissions, and deletes that too', async () => {
    const everything = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
    const before = await made('durable', { rules: everything, namespaceSelector: {} });
    await waitFor('the refusal', async () =>
      (await tryConfigMap(scene.client)).includes('failed calling webhook'),
    );
    const [here, there] = [person(scene.kubeconfig), person(scene.kubeconfig)];
    const args = [
      'failopen',
      'durable',
      '--yes',
      '--for',
      '1h',
      '--restore-with=cronjob',
      '-n',
      scene.namespace,
    ];
    const { code, last } = await here.report(...args);
    expect([code, last.state], last.why).to.deep.equal([0, 'verified']);
    const name = `kubectl-webhook-restore-${last.id}`;
    const role = await scene.client.get({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
    });
    const job = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name, namespace: scene.namespace } };
    const cronJob = await scene.client.get(job);
    expect(cronJob?.metadata.ownerReferences).to.deep.equal([
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name, uid: role?.metadata.uid },
    ]);
    expect(role?.rules).to.have.lengthOf(2);

    // The command of its Pod, against the same API server.
    const [container] = cronJob?.spec.jobTemplate.spec.template.spec.initContainers ?? [];
    const patch = JSON.parse(container.args.at(-1).replace('--patch=', ''));
    const path = `/apis/${api}/validatingwebhookconfigurations/durable`;
    const answer = await scene.client.request(
      'PATCH',
      `${path}?dryRun=All`,
      patch,
      'application/json-patch+json',
    );
    expect(answer.status, answer.body).to.equal(200);
    expect(bytes(JSON.parse(answer.body))).to.equal(bytes(before));

    const undone = await there.report('undo', '--yes');
    expect(undone.last.state, undone.last.why).to.equal('undone');
    expect(bytes(await live('durable'))).to.equal(bytes(before));
    // Closed again, it would block the rest of the clean-up.
    await scene.client.delete(named('durable'));
    expect(await scene.client.get(job)).to.equal(undefined);
  });

  it('is an error of doctor when it is overdue', async () => {
    const before = await made('late');
    const me = person(scene.kubeconfig);
    const opened = await me.report('failopen', 'late', '--yes', '--for', '1s', '--detach');
    expect(opened.last).to.include({ state: 'verified' });
    await waitFor('the deadline', async () => Date.now() > Date.parse(opened.last.until));
    const { stdout } = await me.run(
      'doctor',
      'late',
      '--probe',
      'none',
      '--check',
      'failopen-overdue',
      '-o',
      'json',
    );
    const [finding] = JSON.parse(stdout).findings;
    expect(finding).to.include({ check: 'failopen-overdue', severity: 'error' });
    expect((await me.report('undo', 'late', '--yes')).last.state).to.equal('undone');
    expect(bytes(await live('late'))).to.equal(bytes(before));
  });

  it('works while a failing webhook covers every write except its own configuration', async () => {
    const everything = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
    const before = await scene.create({
      ...named('everything'),
      webhooks: configuration('everything', scene.namespace, {
        rules: everything,
        namespaceSelector: {},
      }).webhooks.slice(0, 1),
    });
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
    };
    await waitFor('access reviews to be refused', async () => {
      const { status } = await scene.client.request(
        'POST',
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        review,
      );
      return status === 500;
    });
    const me = person(scene.kubeconfig);
    const { code, last } = await me.report('failopen', 'everything', '--yes');
    expect(code).to.equal(0);
    expect(last.state).to.equal('verified');
    expect(last.warnings.join()).to.match(/of \d+ resources .* in all namespaces/);
    expect((await me.report('undo', '--yes')).last.state).to.equal('undone');
    expect(bytes(await live('everything'))).to.equal(bytes(before));
    expect((await me.report('failopen', 'everything', '--yes')).code).to.equal(0);
  });

  describe('concurrent changes', () => {
    /** One run through a proxy that makes requests fail. */
    async function through<T>(
      fault: (passing: Passing) => Fault | Promise<Fault>,
      run: (me: ReturnType<typeof person>, seen: readonly Passing[]) => Promise<T>,
      state = stateHome(),
    ): Promise<T> {
      const proxy = await faultyProxy(scene.kubeconfig, fault);
      try {
        return await run(person(proxy.kubeconfig, state), proxy.seen);
      } finally {
        await proxy.close();
      }
    }

    it('refuses when the object changed between the diff and the change', async () => {
      await made('raced');
      const meddle = async () => {
        const webhooks = (await live('raced'))?.webhooks.map((webhook: object) => ({
          ...webhook,
          timeoutSeconds: 7,
        }));
        await scene.client.patch(named('raced'), { webhooks });
      };
      await through(
        (passing) => (isWrite(passing) ? { before: meddle } : 'pass'),
        async (me) => {
          const { code, last } = await me.report('failopen', 'raced', '--yes');
          expect(code).to.equal(1);
          expect(last.state).to.equal('refused');
          expect(last.why).to.match(/was changed by .* after it was read; nothing was changed here/);
          expect(me.journal().map(({ state }) => state)).to.deep.equal(['refused']);
          expect((await me.report('undo', '--yes')).changes).to.deep.equal([]);
        },
      );
      expect(policies(await live('raced'))).to.equal('Fail,Fail');
    });

    it('is not stopped by a label that a user sets between the diff and the change', async () => {
      await made('labelled');
      const meddle = async () => {
        await scene.client.patch(named('labelled'), { metadata: { labels: { meddled: 'yes' } } });
      };
      await through(
        (passing) => (isWrite(passing) ? { before: meddle } : 'pass'),
        async (me) => {
          const { code, last } = await me.report('failopen', 'labelled', '--yes');
          expect(last.state, last.why).to.equal('verified');
          expect(code).to.equal(0);
          expect((await live('labelled'))?.metadata.labels).to.deep.equal({ meddled: 'yes' });
        },
      );
    });

    it('fixes a Deployment during a rollout, and refuses if another user writes the same values', async () => {
      const { namespace } = scene;
      const home = { name: 'rolling', namespace };
      const labels = { app: 'rolling' };
      const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: home };
      await scene.create({
        ...{ apiVersion: 'v1', kind: 'Service', metadata: home },
        spec: { selector: labels, ports: [{ port: 443, targetPort: 8443 }] },
      });
      const container = { name: 'policy', image: 'policy:1', ports: [{ containerPort: 8443 }] };
      await scene.create({
        ...deployment,
        spec: {
          ...{ replicas: 2, selector: { matchLabels: labels } },
          template: { metadata: { labels }, spec: { containers: [container] } },
        },
      });
      await made('rolling', { clientConfig: { service: { ...home, port: 443 } } });
      const template = async () => (await scene.client.get(deployment))?.spec.template.spec;
      const isChange = ({ method, path }: Passing): boolean =>
        method === 'PATCH' && !path.includes('dryRun') && path.includes('/deployments/');
      const fixed = async (me: ReturnType<typeof person>) => {
        const target = ['fix', 'rolling/first.rolling.example.com', '--yes', '--wait', '1s'];
        const how = ['--remedy', 'add-pre-stop,add-readiness-probe', '--probe', 'none'];
        return (await me.report(...target, ...how)).last;
      };
      const before = await template();

      const meddle = async () => {
        const path = await scene.client.path('apps/v1', 'Deployment', namespace, 'rolling');
        const lifecycle = { preStop: { sleep: { seconds: 3 } } };
        const patch = { spec: { template: { spec: { containers: [{ ...container, lifecycle }] } } } };
        const type = 'application/merge-patch+json';
        await scene.client.request('PATCH', `${path}?fieldManager=colleague`, patch, type);
      };
      await through(
        (passing) => (isChange(passing) ? { before: meddle } : 'pass'),
        async (me) => {
          const { state, why } = await fixed(me);
          expect(state).to.equal('refused');
          expect(why).to.match(/^Deployment \S+\/rolling was changed by colleague after it was read/);
        },
      );
      await scene.client.patch(deployment, { spec: { template: { spec: before } } });

      let revision = 0;
      const roll = async () => {
        revision += 1;
        await scene.client.patch(deployment, { status: { observedGeneration: revision } }, 'status');
      };
      await through(
        (passing) => (passing.method === 'GET' && !isChange(passing) ? 'pass' : { before: roll }),
        async (me) => {
          const { state, why, steps } = await fixed(me);
          expect(state, why).to.be.oneOf(['applied', 'verified']);
          expect(steps).to.have.length(2);
          const [made] = (await template())?.containers ?? [];
          expect(made).to.include.keys('lifecycle', 'readinessProbe');
          expect((await me.report('undo', '--yes')).last.state).to.equal('undone');
        },
      );
      expect(revision).to.be.greaterThan(2);
      expect(await template()).to.deep.equal(before);
    });

    it('applies one of two concurrent changes, and never both', async () => {
      const before = await made('both');
      const people = [person(scene.kubeconfig), person(scene.kubeconfig)] as const;
      const ends = await Promise.all(people.map((me) => me.report('failopen', 'both', '--yes')));
      expect(records(await live('both'))).to.have.lengthOf(1);
      expect(ends.filter(({ last }) => last.undo !== undefined)).to.have.lengthOf(1);
      for (const { last } of ends.filter(({ last }) => last.undo === undefined)) {
        expect(last.why).to.match(/was changed by|the object already has this value|already open since/);
      }
      expect((await people[0].report('undo', 'both', '--yes')).last.state).to.equal('undone');
      expect(bytes(await live('both'))).to.equal(bytes(before));
    });

    it('refuses without permissions, and if they are revoked during the change', async () => {
      const before = await made('rights');
      const nobody = { as: 'nobody' };
      await through(
        ({ method }) => (method === 'GET' ? 'pass' : nobody),
        async (me) => {
          const { code, last } = await me.report('failopen', 'rights', '--yes');
          expect(code).to.equal(1);
          expect(last.why).to.match(/cannot patch resource "validatingwebhookconfigurations"/);
          expect(last.allow[0]).to.deep.equal({
            apiGroups: ['admissionregistration.k8s.io'],
            resources: ['validatingwebhookconfigurations'],
            verbs: ['patch'],
          });
        },
      );
      await through(
        (passing) => (isWrite(passing) ? nobody : 'pass'),
        async (me) => {
          const { code, last } = await me.report('failopen', 'rights', '--yes');
          expect(code).to.equal(1);
          expect(last.state).to.equal('refused');
          expect(last.why).to.match(/User "nobody" cannot patch/);
          expect((await me.report('undo', '--yes')).changes).to.deep.equal([]);
        },
      );
      expect(bytes(await live('rights'))).to.equal(bytes(before));
    });

    it('names the completed part if permissions are revoked or the API server fails between several objects', async () => {
      const faults: readonly { readonly fault: Fault; readonly left: RegExp }[] = [
        { fault: { as: 'nobody' }, left: /only 3 of 5 objects were changed: .*User "nobody" cannot create/ },
        { fault: { status: 500, arrives: false }, left: /only 3 of 5 objects were changed: etcdserver/ },
        { fault: { status: 500, arrives: true }, left: /^$/ },
      ];
      await Promise.all(
        faults.map(async ({ fault, left }, at) => {
          const name = `part-${at}`;
          const before = await made(name);
          const state = stateHome();
          let writes = 0;
          await through(
            (passing) => {
              if (!isStored(passing)) return 'pass';
              writes += 1;
              return writes === 4 ? fault : 'pass';
            },
            async (me) => {
              const durable = ['--for', '1h', '--restore-with=cronjob', '-n', scene.namespace];
              const { code, last } = await me.report('failopen', name, '--yes', ...durable);
              expect(policies(await live(name))).to.equal('Ignore,Ignore');
              expect(last.why ?? '').to.match(left);
              const whole = last.why === undefined;
              expect([code, last.state]).to.deep.equal(whole ? [0, 'verified'] : [1, 'applied']);
              expect(last.undo).to.equal(`kubectl webhook undo ${last.id}`);
              expect(await restorersLeft(last.id)).to.have.lengthOf(whole ? 4 : 2);
            },
            state,
          );
          const undone = await person(scene.kubeconfig, state).report('undo', name, '--yes');
          expect(undone.last.state, undone.last.why).to.equal('undone');
          expect(bytes(await live(name))).to.equal(bytes(before));
          expect(await restorersLeft(undone.last.id)).to.deep.equal([]);
        }),
      );
    });

    it('changes nothing if a permission is missing that only a later step needs', async () => {
      const before = await made('turn');
      await through(
        ({ path }) => (path.includes('selfsubjectaccessreviews') ? { as: 'nobody' } : 'pass'),
        async (me) => {
          const durable = ['--for', '1h', '--restore-with=cronjob', '-n', scene.namespace];
          const { code, last } = await me.report('failopen', 'turn', '--yes', ...durable);
          expect([code, last.state]).to.deep.equal([1, 'refused']);
          expect(last.why).to.match(
            /you are not allowed to create clusterroles .*you are not allowed to create cronjobs/,
          );
          expect(last.allow).to.have.lengthOf(4);
        },
      );
      expect(bytes(await live('turn'))).to.equal(bytes(before));
    });

    it('reports the result after a 500 or no response, written or not', async () => {
      const faults: readonly Fault[] = [
        { status: 500, arrives: true },
        { status: 500, arrives: false },
        { status: 504, arrives: true },
        { dropped: true, arrives: true },
        { dropped: true, arrives: false },
      ];
      await Promise.all(
        faults.map(async (fault, at) => {
          const name = `story-${at}`;
          const before = await made(name);
          const state = stateHome();
          const arrives = typeof fault === 'object' && 'arrives' in fault && fault.arrives;
          await through(
            (passing) => (isWrite(passing) ? fault : 'pass'),
            async (me) => {
              const { code, last } = await me.report('failopen', name, '--yes');
              expect(policies(await live(name))).to.equal(arrives ? 'Ignore,Ignore' : 'Fail,Fail');
              if (arrives) expect([code, last.state]).to.deep.equal([0, 'verified']);
              else
                expect([code, last.state]).to.deep.equal([
                  1,
                  JSON.stringify(fault).includes('dropped') ? 'unknown' : 'refused',
                ]);
              const undone = await me.report('undo', name, '--yes');
              // The undo has the same fault.
              if (arrives) expect(undone.last.state).to.equal('undone');
            },
            state,
          );
          // By name: other cases change objects at the same time.
          expect((await person(scene.kubeconfig, state).report('undo', name, '--yes')).code).to.equal(0);
          expect(bytes(await live(name))).to.equal(bytes(before));
        }),
      );
    });

    it('waits for an API server that takes seconds for each response', async () => {
      const before = await made('slow');
      const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 2000));
      await through(
        () => ({ before: slow }),
        async (me) => {
          const { code, last } = await me.report('failopen', 'slow', '--yes');
          expect([code, last.state], last.why).to.deep.equal([0, 'verified']);
          expect(policies(await live('slow'))).to.equal('Ignore,Ignore');
        },
      );
      expect((await person(scene.kubeconfig).report('undo', 'slow', '--yes')).last.state).to.equal('undone');
      expect(bytes(await live('slow'))).to.equal(bytes(before));
    });

    it('retries the restore while the API server does not respond', async () => {
      const before = await made('patient');
      let writes = 0;
      await through(
        ({ method, path }) => {
          if (method !== 'PATCH' || !path.includes('/patient')) return 'pass';
          writes += 1;
          // Two writes for failopen; then one attempt fails.
          return writes === 3 ? { status: 503, arrives: false } : 'pass';
        },
        async (me) => {
          const { code, last } = await me.report('failopen', 'patient', '--yes', '--for', '1s');
          expect([code, last.state], last.why).to.deep.equal([0, 'undone']);
          expect(writes).to.be.greaterThan(3);
        },
      );
      expect(bytes(await live('patient'))).to.equal(bytes(before));
    });

    it('keeps the backup of a deletion in kube-system: killed, refused, or without the permission to', async () => {
      const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } };
      const namespaceBefore = bytes(await scene.client.get(system));
      /** The object without the fields that differ in a recreated one. */
      const content = (object: KubeObject | undefined): string => {
        if (object === undefined) return 'absent';
        const { uid: _, creationTimestamp: __, ...metadata } = object.metadata;
        return bytes({ ...object, metadata });
      };
      const isRecord = ({ method, path }: Passing): boolean =>
        method === 'PATCH' && path.includes('/namespaces/kube-system') && !path.includes('dryRun');
      const isDeletion = ({ method }: Passing): boolean => method === 'DELETE';
      const isCreation = ({ method, path }: Passing): boolean =>
        method === 'POST' && path.includes('webhookconfigurations') && !path.includes('dryRun');
      const orphan = async (name: string): Promise<string> => {
        const webhooks = configuration(name, 'gone').webhooks;
        const annotations = {
          'meta.helm.sh/release-name': 'left',
          'meta.helm.sh/release-namespace': 'gone',
        };
        return content(
          await scene.create({ ...named(name), metadata: { name, annotations }, webhooks } as KubeObject),
        );
      };
      const deleting = (name: string): readonly string[] => [
        'fix',
        `orphaned-configuration:validating/${name}/first.${name}.example.com`,
        ...['--remedy', 'delete-orphaned-configuration', '--yes', '--probe', 'none', '--wait', '1s'],
      ];
      /** Its own change, from another machine. */
      const seenElsewhere = async (name: string) => {
        const { changes } = await person(scene.kubeconfig).report('changes');
        return changes.filter(
          ({ steps }: { steps: { object: { name: string } }[] }) => steps[0]?.object.name === name,
        );
      };
      const takenBackElsewhere = async (name: string, before: string): Promise<void> => {
        const [change] = await seenElsewhere(name);
        const undone = await person(scene.kubeconfig).report('undo', change.id, '--yes');
        expect(undone.last.state, undone.last.why).to.equal('undone');
        expect(content(await live(name)), name).to.equal(before);
      };
      async function killedAfter(
        state: string,
        at: (passing: Passing) => boolean,
        args: readonly string[],
      ): Promise<void> {
        let kill: () => Promise<void> = async () => undefined;
        // A deletion has a dry run first: the second request counts.
        let left = at === isDeletion ? 2 : 1;
        await through(
          (passing) => {
            if (!at(passing)) return 'pass';
            left -= 1;
            return left === 0 ? { after: () => kill() } : 'pass';
          },
          async (me) => {
            const running = me.start(...args);
            kill = async () => {
              running.kill('SIGKILL');
              await running.ended;
            };
            await running.ended;
          },
          state,
        );
        expect(left, 'it was killed').to.equal(0);
      }

      // In sequence: all of them write to the same Namespace.
      const drills = [
        async () => {
          const before = await orphan('orphan-recorded');
          await killedAfter(stateHome(), isRecord, deleting('orphan-recorded'));
          const [change] = await seenElsewhere('orphan-recorded');
          expect(change).to.include({ why: 'only its record is left; undo removes it' });
          await takenBackElsewhere('orphan-recorded', before);
        },
        async () => {
          const before = await orphan('orphan-deleted');
          await killedAfter(stateHome(), isDeletion, deleting('orphan-deleted'));
          expect(await live('orphan-deleted')).to.equal(undefined);
          await takenBackElsewhere('orphan-deleted', before);
        },
        async () => {
          const before = await orphan('orphan-restored');
          const state = stateHome();
          const { last } = await person(scene.kubeconfig, state).report(...deleting('orphan-restored'));
          expect(last.state, last.why).to.equal('verified');
          expect(last.warnings).to.include(
            'ValidatingWebhookConfiguration orphan-restored cannot carry the record of this change: it is stored in Namespace kube-system.',
          );
          await killedAfter(state, isCreation, ['undo', last.id, '--yes']);
          expect(content(await live('orphan-restored'))).to.equal(before);
          await takenBackElsewhere('orphan-restored', before);
        },
        async () => {
          const before = await orphan('orphan-refused');
          let tries = 0;
          await through(
            (passing) => {
              if (!isDeletion(passing)) return 'pass';
              tries += 1;
              return tries === 2 ? { as: 'nobody' } : 'pass';
            },
            async (me) => {
              const { code, last } = await me.report(...deleting('orphan-refused'));
              expect([code, last.state]).to.deep.equal([1, 'refused']);
              expect(last.why).to.match(/User "nobody" cannot delete/);
            },
          );
          expect(content(await live('orphan-refused'))).to.equal(before);
          expect(await seenElsewhere('orphan-refused')).to.deep.equal([]);
        },
        async () => {
          const before = await orphan('orphan-local');
          const state = stateHome();
          const { last } = await through(
            ({ method, path }) =>
              method === 'PATCH' && path.includes('/namespaces/') ? { as: 'nobody' } : 'pass',
            (me) => me.report(...deleting('orphan-local')),
            state,
          );
          expect(last.state, last.why).to.equal('verified');
          expect(last.warnings.join()).to.match(/only the journal on this machine has the previous values/);
          expect(await seenElsewhere('orphan-local')).to.deep.equal([]);
          const undone = await person(scene.kubeconfig, state).report('undo', last.id, '--yes');
          expect(undone.last.state, undone.last.why).to.equal('undone');
          expect(content(await live('orphan-local'))).to.equal(before);
        },
      ];
      for (const drill of drills) await drill();
      expect(bytes(await scene.client.get(system))).to.equal(namespaceBefore);
    });

    it('keeps the backup if it is killed, at any time', async function () {
      this.timeout(400_000);
      const runs = { opening: 0, undoing: 0 };
      // Other suites on this API server may have left theirs.
      const others = await restorersLeft();
      /** Steps of a change: all requests for the object itself, and all others that are not plain reads. */
      const isStep = ({ method, path }: Passing): boolean =>
        method !== 'GET' || path.includes('/validatingwebhookconfigurations/');

      /**
       * Kills the run at step `at`, before the request arrives or before its response; false: it has no such
       * step.
       */
      async function killed(
        state: string,
        args: readonly string[],
        at: number,
        late: boolean,
        counts: (passing: Passing) => boolean,
      ): Promise<boolean> {
        let steps = 0;
        let kill: () => Promise<void> = async () => undefined;
        let reached = false;
        const strike = async (): Promise<void> => {
          reached = true;
          await kill();
        };
        const fault = (passing: Passing): Fault => {
          if (!counts(passing)) return 'pass';
          steps += 1;
          if (steps !== at + 1) return 'pass';
          return late ? { after: strike } : { before: strike };
        };
        const proxy = await faultyProxy(scene.kubeconfig, fault);
        const running = person(proxy.kubeconfig, state).start(...args);
        kill = async () => {
          running.kill('SIGKILL');
          await running.ended;
        };
        await running.ended;
        // A request in progress still arrives.
        await new Promise((resolve) => setTimeout(resolve, 100));
        await proxy.close();
        if (reached) runs[args[0] === 'undo' ? 'undoing' : 'opening'] += 1;
        return reached;
      }

      /** `changes` reports the change, and undo restores the same bytes. */
      async function comesBack(name: string, state: string, before: string): Promise<void> {
        const me = person(scene.kubeconfig, state);
        const now = bytes(await live(name));
        const { changes } = await me.report('changes');
        const standing = changes.filter(
          ({ undo, steps }: { undo?: string; steps: { object: { name: string } }[] }) =>
            undo !== undefined && steps[0]?.object.name === name,
        );
        expect(standing.length, JSON.stringify(changes)).to.equal(now === before ? 0 : 1);
        const undone = await me.report('undo', standing[0]?.id ?? name, '--yes').catch(() => undefined);
        if (standing.length > 0) expect(undone?.last.state).to.equal('undone');
        expect(bytes(await live(name)), `${name} after undo`).to.equal(before);
        rmSync(state, { recursive: true, force: true });
      }

      async function everyStep(
        lane: string,
        args: readonly string[],
        opener: readonly string[] | undefined,
        late: boolean,
        counts = isStep,
      ): Promise<void> {
        for (let at = 0; ; at += 1) {
          const name = `kill-${lane}-${at}`;
          const before = bytes(await made(name));
          const state = stateHome();
          if (opener !== undefined) {
            const opened = await person(scene.kubeconfig, state).report(...opener, name);
            expect(opened.last.state, opened.last.why).to.equal('verified');
          }
          const reached = await killed(state, [...args, name], at, late, counts);
          await comesBack(name, state, before);
          await scene.client.delete(named(name));
          if (!reached) return;
        }
      }
      const opening = ['failopen', '--yes', '--watch', '1ms'];
      const undoing = ['undo', '--yes'];
      // Five objects, each written by a separate request.
      const durable = [...opening, '--for', '1h', '--restore-with=cronjob', '-n', scene.namespace];
      await Promise.all([
        everyStep('early', opening, undefined, false),
        everyStep('late', opening, undefined, true),
        everyStep('undo-early', undoing, opening, false),
        everyStep('undo-late', undoing, opening, true),
        everyStep('five', durable, undefined, true, isStored),
        everyStep('undo-five', undoing, durable, true, isStored),
      ]);
      console.log(`      killed: ${runs.opening} runs that change, ${runs.undoing} that take back`);
      expect(runs.opening).to.be.greaterThan(12);
      expect(runs.undoing).to.be.greaterThan(8);
      expect(runs.opening + runs.undoing).to.be.greaterThan(30);
      expect(await restorersLeft()).to.deep.equal(others);
    });
  });
});

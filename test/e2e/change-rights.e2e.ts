import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ChangeTools } from '../../src/change/apply.ts';
import type { ChangeEntry } from '../../src/change/change-report.ts';
import { openChangeTools } from '../../src/change/change-tools.ts';
import { carryOut } from '../../src/workflows/change/carry-out.ts';
import type { ChangePrompts } from '../../src/workflows/change/change-run.ts';
import { failOpen } from '../../src/workflows/change/failure-policy.ts';
import { undoChange } from '../../src/workflows/change/undo-change.ts';
import { examineCluster } from '../../src/workflows/doctor.ts';
import { fix } from '../../src/workflows/fix/fix.ts';
import { commandPermissions } from '../../src/workflows/rbac/command-permissions.ts';
import { allCheckIds } from '../../src/workflows/selection/check-ids.ts';
import type { KubeObject } from '../cluster/client.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { plugin } from '../support/plugin.ts';
import { permissionText, type RequestedPermission } from '../support/requested-permission.ts';
import { inTurns, permissionsOf, type Role, without } from './printed-roles.ts';

const silent: ChangePrompts & { readonly explain: () => void } = {
  show: () => undefined,
  stage: () => undefined,
  explain: () => undefined,
  warn: () => undefined,
  uninterruptible: async (work) => ({ result: await work(), interrupted: false }),
  interruptible: (work) => work(),
};
const options = { yes: true, accepted: [], watchFor: 1 };

/** The result of a command: the entry of the change, or the error before it started. */
interface End {
  readonly state: string;
  readonly says: string;
  readonly allow: string;
}

const endOf = (entry: ChangeEntry | undefined): End => ({
  state: entry?.state ?? 'nothing',
  says: [entry?.why ?? '', ...(entry?.checked ?? [])].join('; '),
  allow: JSON.stringify(entry?.allow ?? []),
});

/** Runs a command as a user, for one configuration. */
type Act = (tools: ChangeTools, name: string) => Promise<ChangeEntry | undefined>;

const opening: Act = (tools, name) => failOpen({ tools, options, prompts: silent }, [name]);

const leavingRestorer: Act = (tools, name) =>
  failOpen(
    { tools, options: { ...options, until: new Date(Date.now() + 3_600_000) }, prompts: silent },
    [name],
    { namespace: 'default' },
  );

/** The same change without verification, to be undone. */
const opened: Act = (tools, name) => {
  const object = { kind: 'ValidatingWebhookConfiguration', name, webhook: 'guard.example.com' };
  const path = '/webhooks/0/failurePolicy';
  const edits = [{ object, operation: 'patch', path, expected: 'Fail', after: 'Ignore' }] as const;
  const plan = { remedy: 'failopen', summary: 'It is open', edits, fixes: [], warnings: [] };
  return carryOut({ tools, options, prompts: silent }, plan);
};

const mending: Act = async (tools, name) => {
  const { changes } = await fix(
    { tools, prompts: silent },
    (callouts) => examineCluster(tools.reader, { callouts, now: new Date() }),
    {
      target: `service-missing:validating/${name}/guard.example.com`,
      remedy: 'flip-failure-policy',
      options,
      verifyFor: 1,
    },
    await allCheckIds(),
  );
  return changes[0];
};

const undoing: Act = async (tools, name) =>
  (await undoChange({ tools, options, prompts: silent }, name)).entry;

/** A command, its printed roles, and the permissions without which it fails. */
interface Case {
  readonly command: string;
  readonly roles: readonly string[];
  readonly act: Act;
  /** The resulting failurePolicy, from the other one. */
  readonly makes: 'Fail' | 'Ignore';
  readonly essential: readonly string[];
}

const configurations = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
const touching = [`get ${configurations}`, `patch ${configurations}`];
const cases: readonly Case[] = [
  {
    command: 'failopen',
    roles: [],
    act: opening,
    makes: 'Ignore',
    essential: [`list ${configurations}`, ...touching],
  },
  {
    command: 'fix',
    roles: ['--remedy', 'flip-failure-policy', '--probe', 'none'],
    act: mending,
    makes: 'Ignore',
    essential: [`list ${configurations}`, 'list services', ...touching],
  },
  {
    command: 'failopen',
    roles: ['--restore-with=cronjob'],
    act: leavingRestorer,
    makes: 'Ignore',
    essential: [
      `list ${configurations}`,
      ...touching,
      ...['clusterroles', 'clusterrolebindings'].flatMap((plural) => [
        `create ${plural}.rbac.authorization.k8s.io`,
        `get ${plural}.rbac.authorization.k8s.io`,
      ]),
      'create cronjobs.batch',
      'get cronjobs.batch',
      'create serviceaccounts',
      'get serviceaccounts',
      // A user cannot grant permissions that the user does not have.
      'delete clusterroles.rbac.authorization.k8s.io',
    ],
  },
  {
    command: 'undo',
    roles: ['--remedy', 'flip-failure-policy'],
    act: undoing,
    makes: 'Fail',
    essential: [`list ${configurations}`, ...touching],
  },
];

const doctors = (
  commandPermissions.doctor?.({ probe: 'none', remedies: [], restorer: false, dryRuns: [] }) ?? []
).flatMap(({ group, resource, verbs }) => verbs.map((verb) => permissionText({ group, resource, verb })));

describe('the permissions of commands that change a cluster', () => {
  needs('api-server');
  const scene = useScene(apiServer);

  /** A webhook without a backend that matches no request of this suite. */
  const configuration = (name: string): KubeObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: 'guard.example.com',
        clientConfig: { service: { namespace: scene.namespace, name: 'gone' } },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 1,
      },
    ],
  });
  const policyOf = async (name: string): Promise<string> =>
    (await scene.client.get(configuration(name)))?.webhooks[0].failurePolicy;

  const toolsOf = (user: string | undefined): ReturnType<typeof openChangeTools> =>
    openChangeTools(
      { kubeconfig: scene.kubeconfig, ...(user === undefined ? {} : { as: user }) },
      // A second machine: only the record in the object exists.
      { XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'kubectl-webhook-rights-')) },
    );

  async function actAs(user: string | undefined, act: Act, name: string): Promise<End> {
    try {
      const tools = await toolsOf(user);
      try {
        return endOf(await act(tools, name));
      } finally {
        tools.close();
      }
    } catch (error) {
      return { state: 'not begun', says: (error as Error).message, allow: '' };
    }
  }

  /** Waits until all rules of the roles are effective. */
  const granted = (user: string, { group, resource: whole, verb }: RequestedPermission): Promise<true> => {
    const [resource, subresource] = whole.split('/');
    return waitFor(`${user} to have its permissions`, async () => {
      const review = await scene.client.create({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: { name: '' },
        spec: { user, resourceAttributes: { group, resource, subresource, verb } },
      });
      return review.status.allowed === true && true;
    });
  };

  for (const { command, roles: flags, act, makes, essential } of cases) {
    it(`${[command, ...flags].join(' ')}: exactly the printed roles suffice, and a refusal without one of them is reported`, async () => {
      const printed = await plugin(['rbac', command, ...flags, '-o', 'json']);
      const roles: readonly Role[] = JSON.parse(printed.stdout).items;
      const permissions = permissionsOf(roles);
      // Missing permissions of doctor itself are tested elsewhere.
      const counted = permissions.filter(
        (permission) =>
          !doctors.includes(permissionText(permission)) || essential.includes(permissionText(permission)),
      );
      const lacking = [undefined, ...counted].map((left, at) => ({
        left,
        name: `${command}-${flags.length}-${scene.namespace}-${at}`,
      }));
      const refused = new Set<string>();
      await inTurns(lacking, async ({ left, name }) => {
        for (const object of without(roles, left, name)) await scene.create(object);
        await scene.create(configuration(name));
        if (makes === 'Fail') expect((await actAs(undefined, opened, name)).state).to.equal('verified');
        const before = await policyOf(name);
        const [kept] = permissions.filter((permission) => permission !== left);
        if (kept !== undefined) await granted(name, kept);
        const { state, says, allow } = await actAs(name, act, name);
        const told = `${left === undefined ? 'nothing' : permissionText(left)} left out: ${state}: ${says}`;
        if ((await policyOf(name)) === makes) {
          expect(state, told).to.be.oneOf(['verified', 'undone']);
          return;
        }
        expect(left, told).to.not.equal(undefined);
        if (left === undefined) return;
        refused.add(permissionText(left));
        expect(await policyOf(name), told).to.equal(before);
        const [resource] = left.resource.split('/');
        const sentence = `cannot ${left.verb} resource "${resource}"|may not ${left.verb} ${resource}`;
        const handedOn = `not currently held:\\n.*"${resource}".*"${left.verb}"`;
        expect(says, told).to.match(new RegExp(`${sentence}|${handedOn}`));
        if (['patch', 'create'].includes(left.verb) && makes === 'Ignore') {
          expect(allow, told).to.include(`"${left.verb}"`);
        }
      });
      expect([...refused].toSorted()).to.deep.equal([...essential].toSorted());
    }).timeout(170_000);
  }
});

import { expect } from 'chai';
import type { ChangeTools } from '../../../src/change/apply.ts';
import { inCatalogue } from '../../../src/checks/catalogue.ts';
import { matchConditionBroken } from '../../../src/checks/registration/match-condition-broken.ts';
import { caBundleInvalid } from '../../../src/checks/tls/ca-bundle/ca-bundle-invalid.ts';
import { buildReport } from '../../../src/diagnose/build-report.ts';
import { type FixPrompts, fix } from '../../../src/workflows/fix/fix.ts';
import { snapshotOf, webhook } from '../../support/snapshot.ts';

const broken = (configuration: string) =>
  webhook({
    configuration,
    ref: { kind: 'ValidatingWebhookConfiguration', name: configuration, webhook: 'policy.example.com' },
    client: { service: { namespace: 'shop', name: 'policy', port: 443 }, caBundle: 'bm8=' },
    matchConditions: [{ name: 'never', expression: '1/0 == 1' }],
  });

/** The finding that is chosen without a terminal, or the error. */
async function chosen(configurations: readonly string[], remedy?: string, target?: string): Promise<string> {
  const callouts = configurations.map(broken);
  const snapshot = snapshotOf({ callouts });
  const report = buildReport(snapshot, callouts, [caBundleInvalid, matchConditionBroken].map(inCatalogue));
  const prompts = {
    stage: () => undefined,
    explain: ({ id }: { readonly id: string }) => {
      throw new Error(id);
    },
  } as unknown as FixPrompts;
  const question = { ...(remedy === undefined ? {} : { remedy }), target, options: {}, verifyFor: 0 };
  return fix(
    { tools: {} as ChangeTools, prompts },
    async () => ({ snapshot, report }) as never,
    question as never,
    new Map([['replica-readiness-failing', 'replica-readiness-failing']]),
  )
    .then(() => 'done')
    .catch((error: Error) => error.message);
}

describe('choosing what to fix without a terminal', () => {
  it('takes the first finding if the remedy is the same for all of them', async () => {
    expect(await chosen(['one'], 'flip-failure-policy')).to.equal(
      'match-condition-broken:validating/one/policy.example.com',
    );
  });

  it('requires a name if the remedy changes different objects', async () => {
    const text = await chosen(['one', 'two'], 'flip-failure-policy');
    expect(text).to.match(/^there are 4 findings; run one of these commands/);
    // Commands stand alone on their lines, so that they can be copied; those of other remedies are absent.
    const [, title, ...commands] = text.split('\n');
    expect(title).to.match(/^\w.*:$/);
    expect(commands).to.have.length(2);
    for (const line of commands) expect(line).to.match(/^ {2}kubectl webhook failopen (one|two) --for 30m$/);
  });

  it('prints the commands if no remedy is named, each change once', async () => {
    const text = await chosen(['one']);
    expect(text).to.match(/^there are 2 findings; run one of these commands\n/);
    expect(text.match(/failopen one --for 30m/g)).to.have.length(1);
  });
});

describe('a finding that no longer exists', () => {
  it('is replaced by what doctor finds now, and the commands that fix it', async () => {
    const text = await chosen(['one'], 'undo-rollout', 'replica-readiness-failing');
    expect(text).to.match(
      /^doctor finds no "replica-readiness-failing"\nIt finds \S+:validating\/one\/\S+ \(error\)\n/,
    );
    expect(text).to.match(/\n {2}kubectl webhook failopen one --for 30m\n/);
    expect(text).to.match(/\nAll findings: kubectl webhook doctor -o name$/);
  });

  it('leaves only the list of findings if there is none', async () => {
    expect(await chosen([], 'undo-rollout', 'replica-readiness-failing')).to.equal(
      'doctor finds no "replica-readiness-failing"\nAll findings: kubectl webhook doctor -o name',
    );
  });
});

describe('one remedy for all webhooks of a configuration', () => {
  const names = ['a.example.com', 'b.example.com'];
  const callouts = names.map((name, index) =>
    webhook({
      index,
      webhook: name,
      ref: { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: name },
      matchConditions: [{ name: 'never', expression: '1/0 == 1' }],
    }),
  );
  const snapshot = snapshotOf({ callouts });
  const report = buildReport(snapshot, callouts, [matchConditionBroken].map(inCatalogue));
  const explained: string[] = [];
  const stopped = new Error('stopped before anything is read');
  const run = async (target: string) =>
    fix(
      {
        tools: { now: () => new Date() } as ChangeTools,
        prompts: {
          stage: () => undefined,
          explain: ({ id }: { readonly id: string }) => explained.push(id),
          confirm: () => Promise.reject(stopped),
        } as unknown as FixPrompts,
      },
      async () => ({ snapshot, report }) as never,
      { target, remedy: 'flip-failure-policy', options: {}, verifyFor: 0 } as never,
      new Map([['match-condition-broken', 'match-condition-broken']]),
    ).catch((error: Error) => error.message);

  it('is one change, explained once', async () => {
    await run('match-condition-broken:policy');
    expect(explained).to.deep.equal(['match-condition-broken:validating/policy/a.example.com']);
  });

  it('needs the name of the configuration', async () => {
    expect(await run('match-condition-broken')).to.match(/^there are 2 findings; run one of these commands/);
  });
});

import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  changeId,
  fileJournal,
  type JournalEntry,
  journalFolder,
  sameCluster,
} from '../../src/change/journal.ts';

const cluster = { server: 'https://api.example.com', uid: 'uid-1' };
const entry = (over: Partial<JournalEntry> = {}): JournalEntry => ({
  apiVersion: 'kubectl-webhook/v1',
  kind: 'JournalEntry',
  id: '20260101-000000-abcdef',
  cluster,
  remedy: 'failopen',
  summary: 'Set failurePolicy',
  at: '2026-01-01T00:00:00Z',
  state: 'intended',
  steps: [
    {
      object: { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' },
      operation: 'patch',
      path: '/webhooks/0/failurePolicy',
      before: 'Fail',
      after: 'Ignore',
    },
  ],
  recordedIn: [],
  ...over,
});

describe('the journal', () => {
  const fresh = () => join(mkdtempSync(join(tmpdir(), 'kubectl-webhook-journal-')), 'deep', 'journal');

  it('keeps an entry for its owner alone, and replaces it', async () => {
    const folder = fresh();
    const journal = fileJournal(folder);
    await journal.write(entry());
    await journal.write(entry({ state: 'applied' }));
    expect(readdirSync(folder)).to.deep.equal(['20260101-000000-abcdef.json']);
    expect(statSync(join(folder, '20260101-000000-abcdef.json')).mode & 0o777).to.equal(0o600);
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
    expect(await journal.entries(cluster)).to.deep.equal([entry({ state: 'applied' })]);
  });

  it('tells an absent value from null', async () => {
    const journal = fileJournal(fresh());
    const [step] = entry().steps;
    if (step === undefined) return;
    await journal.write(entry({ steps: [{ ...step, before: undefined, after: null }] }));
    const [read] = (await journal.entries(cluster))[0]?.steps ?? [];
    expect(read).to.have.property('after', null);
    expect(read).not.to.have.property('before');
  });

  it('never mistakes one cluster for another', async () => {
    const journal = fileJournal(fresh());
    await journal.write(entry());
    expect(await journal.entries({ server: 'https://elsewhere', uid: 'uid-1' })).to.have.lengthOf(1);
    expect(await journal.entries({ server: cluster.server, uid: 'uid-2' })).to.have.lengthOf(0);
    expect(await journal.entries({ server: cluster.server })).to.have.lengthOf(1);
    expect(await journal.entries({ server: 'https://elsewhere' })).to.have.lengthOf(0);
    expect(sameCluster({ server: 'a' }, { server: 'b', uid: 'x' })).to.equal(false);
  });

  it('passes over files that are no entries, drafts and half ones', async () => {
    const folder = fresh();
    const journal = fileJournal(folder);
    await journal.write(entry());
    for (const [name, text] of [
      ['half.json', '{"kind":"JournalEntry","id":"ha'],
      ['other.json', '{"kind":"List","steps":[]}'],
      ['evil.json', JSON.stringify({ ...entry(), id: '../../evil' })],
      ['20260101-000000-abcdef.json.77.tmp', 'draft'],
    ] as const) {
      writeFileSync(join(folder, name), text);
    }
    expect(await journal.entries(cluster)).to.have.lengthOf(1);
  });

  it('refuses a change that it cannot write down, and an id that leads elsewhere', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'kubectl-webhook-journal-')), 'file');
    writeFileSync(file, '');
    const failed = await fileJournal(join(file, 'journal'))
      .write(entry())
      .catch((error: Error) => error.message);
    expect(failed).to.match(/the way back cannot be written down .*; nothing is changed without it/);
    const escaped = await fileJournal(fresh())
      .write(entry({ id: '../x' }))
      .catch((error: Error) => error.message);
    expect(escaped).to.match(/no id of a change/);
  });

  it('has nothing for a cluster that nobody changed', async () => {
    expect(await fileJournal(fresh()).entries(cluster)).to.deep.equal([]);
  });

  it('lies where state belongs', () => {
    expect(journalFolder({ XDG_STATE_HOME: '/state', HOME: '/home/me' }, 'linux')).to.equal(
      '/state/kubectl-webhook/journal',
    );
    expect(journalFolder({ HOME: '/home/me' }, 'darwin')).to.equal(
      '/home/me/.local/state/kubectl-webhook/journal',
    );
    expect(journalFolder({ XDG_STATE_HOME: '', HOME: '/home/me' }, 'linux')).to.match(/^\/home\/me\/\.local/);
    expect(journalFolder({ LOCALAPPDATA: 'L' }, 'win32')).to.match(/^L.kubectl-webhook.journal$/);
  });

  it('makes ids that sort by time and differ', () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    expect(changeId(at, 'abc')).to.equal('20260102-030405-abc');
    expect(changeId(at)).not.to.equal(changeId(at));
  });
});

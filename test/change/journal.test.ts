import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import {
  changeId,
  fileJournal,
  type JournalEntry,
  JournalUnwritable,
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

  it('stores an entry for its owner only, and replaces it', async () => {
    const folder = fresh();
    const journal = fileJournal(folder);
    await journal.write(entry());
    await journal.write(entry({ state: 'applied' }));
    expect(readdirSync(folder)).to.deep.equal(['20260101-000000-abcdef.json']);
    expect(statSync(join(folder, '20260101-000000-abcdef.json')).mode & 0o777).to.equal(0o600);
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
    expect((await journal.read()).entries).to.deep.equal([entry({ state: 'applied' })]);
  });

  it('distinguishes an absent value from null', async () => {
    const journal = fileJournal(fresh());
    const [step] = entry().steps;
    if (step === undefined) return;
    await journal.write(entry({ steps: [{ ...step, before: undefined, after: null }] }));
    const [read] = (await journal.read()).entries[0]?.steps ?? [];
    expect(read).to.have.property('after', null);
    expect(read).not.to.have.property('before');
  });

  it('never confuses clusters', () => {
    expect(sameCluster(cluster, { server: 'https://elsewhere', uid: 'uid-1' })).to.equal(true);
    expect(sameCluster(cluster, { server: cluster.server, uid: 'uid-2' })).to.equal(false);
    expect(sameCluster(cluster, { server: cluster.server })).to.equal(true);
    expect(sameCluster(cluster, { server: 'https://elsewhere' })).to.equal(false);
    expect(sameCluster({ server: 'a' }, { server: 'b', uid: 'x' })).to.equal(false);
  });

  it('ignores drafts, and reports files that are no entries', async () => {
    const folder = fresh();
    const journal = fileJournal(folder);
    await journal.write(entry());
    for (const [name, text] of [
      ['half.json', '{"kind":"JournalEntry","id":"ha'],
      ['other.json', '{"kind":"List","steps":[]}'],
      ['evil.json', JSON.stringify({ ...entry(), id: '../../evil' })],
      ['nowhere.json', JSON.stringify({ ...entry(), cluster: undefined })],
      ['steps.json', JSON.stringify({ ...entry(), steps: [{}] })],
      ['20260101-000000-abcdef.json.77.tmp', 'draft'],
    ] as const) {
      writeFileSync(join(folder, name), text);
    }
    const { entries, unreadable } = await journal.read();
    expect(entries).to.have.lengthOf(1);
    expect(unreadable.map(({ what }) => basename(what)).toSorted()).to.deep.equal([
      'evil.json',
      'half.json',
      'nowhere.json',
      'other.json',
      'steps.json',
    ]);
  });

  it('reports that it cannot be read', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'kubectl-webhook-journal-')), 'file');
    writeFileSync(file, '');
    const { entries, unreadable } = await fileJournal(join(file, 'journal')).read();
    expect(entries).to.deep.equal([]);
    expect(unreadable[0]?.why).to.match(/ENOTDIR/);
  });

  it('refuses a change that it cannot store, and an id that is a path', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'kubectl-webhook-journal-')), 'file');
    writeFileSync(file, '');
    const failed = await fileJournal(join(file, 'journal'))
      .write(entry())
      .catch((error: Error) => error.message);
    expect(failed).to.match(/cannot record the previous values in .*; nothing was changed/);
    const escaped = await fileJournal(fresh())
      .write(entry({ id: '../x' }))
      .catch((error: Error) => error.message);
    expect(escaped).to.match(/is not the id of a change/);
  });

  it('reports before the prompt that nothing can be written, with the fix', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'kubectl-webhook-journal-')), 'file');
    writeFileSync(file, '');
    // A file system without folders; a file instead of a folder; a folder in which even root cannot write.
    for (const folder of ['/proc/nowhere/journal', file, join(file, 'journal'), '/sys/kernel/journal']) {
      const journal = fileJournal(folder);
      for (const attempt of [() => journal.tryOut(), () => journal.write(entry())]) {
        const failed = await attempt().catch((error: Error) => error);
        expect(failed, folder).to.be.instanceOf(JournalUnwritable).and.include({ exitCode: 2 });
        expect(String(failed)).to.include(folder).and.include('XDG_STATE_HOME=FOLDER');
      }
    }
  });

  it('leaves no file after a test of the folder', async () => {
    const folder = fresh();
    await Promise.all([fileJournal(folder).tryOut(), fileJournal(folder).write(entry())]);
    expect(readdirSync(folder)).to.deep.equal(['20260101-000000-abcdef.json']);
  });

  it('is empty without changes', async () => {
    expect(await fileJournal(fresh()).read()).to.deep.equal({ entries: [], unreadable: [] });
  });

  it('is in the state directory', () => {
    expect(journalFolder({ XDG_STATE_HOME: '/state', HOME: '/home/me' }, 'linux')).to.equal(
      '/state/kubectl-webhook/journal',
    );
    expect(journalFolder({ HOME: '/home/me' }, 'darwin')).to.equal(
      '/home/me/.local/state/kubectl-webhook/journal',
    );
    for (const nowhere of ['', 'state', './state'])
      expect(journalFolder({ XDG_STATE_HOME: nowhere, HOME: '/home/me' }, 'linux')).to.match(
        /^\/home\/me\/\.local/,
      );
    expect(journalFolder({ LOCALAPPDATA: 'L' }, 'win32')).to.match(/^L.kubectl-webhook.journal$/);
  });

  it('creates ids that sort by time and differ', () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    expect(changeId(at)).to.match(/^20260102-030405-[0-9a-f]{6}$/);
    expect(changeId(at)).not.to.equal(changeId(at));
  });
});

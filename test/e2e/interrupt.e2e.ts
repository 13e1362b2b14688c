import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { orphanedConfiguration } from '../../src/checks/routing/orphaned-configuration.ts';
import { serviceNamespaceMissing } from '../../src/checks/routing/service-namespace-missing.ts';
import type { KubeObject } from '../cluster/client.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { plugin } from '../support/plugin.ts';
import { hasTmux, inTerminal, type Terminal } from '../support/tmux.ts';

const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

/** A webhook without its Service, for the ConfigMaps of one namespace. */
const configuration = (name: string, namespace: string): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      clientConfig: { service: { namespace, name: 'gone', port: 443 } },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 1,
    },
  ],
});

/** Installed by Helm in a release that no longer exists: it may be deleted after a word is typed. */
const orphan = (name: string, namespace: string): KubeObject => {
  const whole = configuration(name, namespace);
  const left = { 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': 'gone' };
  const [webhook] = whole.webhooks;
  const service = { namespace: 'gone', name: 'left' };
  return {
    ...whole,
    metadata: { name, annotations: left },
    webhooks: [{ ...webhook, clientConfig: { service } }],
  };
};

describe('Ctrl-C on a terminal', function () {
  this.timeout(300_000);
  needs('api-server');
  const scene = useScene(() => apiServer());
  before(function () {
    if (!hasTmux()) this.skip();
  });

  /** Runs a command on a separate terminal with a separate journal. */
  async function onTerminal(
    args: readonly string[],
    talk: (terminal: Terminal) => Promise<void>,
    home = mkdtempSync(join(tmpdir(), 'kubectl-webhook-terminal-')),
  ): Promise<{ readonly code: number; readonly screen: string; readonly home: string }> {
    const terminal = await inTerminal([program, ...args, '--kubeconfig', scene.kubeconfig], {
      HOME: home,
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
    });
    try {
      await talk(terminal);
      const code = await terminal.ended(60_000);
      return { code, screen: await terminal.screen(), home };
    } finally {
      await terminal.close();
    }
  }

  const live = (name: string) => scene.client.get(configuration(name, scene.namespace));
  const opened = async (name: string): Promise<string> => (await live(name))?.webhooks[0].failurePolicy;
  const journal = (home: string): readonly string[] => {
    try {
      return readdirSync(join(home, '.local/state/kubectl-webhook/journal'));
    } catch {
      return [];
    }
  };

  interface Stop {
    readonly at: string;
    readonly args: readonly string[];
    readonly make: (name: string, namespace: string) => KubeObject;
    /** The interaction up to the question at which Ctrl-C is pressed. */
    readonly talk: (terminal: Terminal) => Promise<unknown>;
  }
  const look = ['--probe', 'none'];
  const stops: readonly Stop[] = [
    {
      at: 'fix: which finding',
      args: ['fix', 'NAME', ...look],
      make: orphan,
      talk: (terminal) => terminal.shows(/Which problem do you want/),
    },
    {
      at: 'fix: which remedy',
      args: ['fix', 'service-missing:validating/NAME/NAME.example.com', ...look],
      make: configuration,
      talk: (terminal) => terminal.shows(/Which remedy do you want/),
    },
    {
      at: 'fix: yes or no',
      args: [
        'fix',
        'service-missing:validating/NAME/NAME.example.com',
        '--remedy',
        'flip-failure-policy',
        ...look,
      ],
      make: configuration,
      talk: (terminal) => terminal.shows(/Apply\?/),
    },
    {
      at: 'fix: the word that has to be typed',
      args: [
        'fix',
        'orphaned-configuration:validating/NAME/NAME.example.com',
        '--remedy',
        'delete-orphaned-configuration',
        ...look,
      ],
      make: orphan,
      talk: async (terminal) => {
        await terminal.shows(/Type \S+ to confirm/);
        await terminal.press('inter');
      },
    },
    {
      at: 'failopen: yes or no',
      args: ['failopen', 'NAME'],
      make: configuration,
      talk: (terminal) => terminal.shows(/Apply\?/),
    },
  ];
  for (const [index, { at, args, make, talk }] of stops.entries()) {
    it(`changes nothing at the prompt of ${at}`, async () => {
      const name = `stop-${index}`;
      await scene.create(make(name, scene.namespace));
      const before = await live(name);
      const named = args.map((argument) => argument.replaceAll('NAME', name));
      const { code, screen, home } = await onTerminal(named, async (terminal) => {
        await talk(terminal);
        await terminal.press('C-c');
      });
      expect(code, screen).to.equal(130);
      expect(screen).to.match(/interrupted; nothing was changed/);
      expect(await live(name)).to.deep.equal(before);
      expect(journal(home)).to.deep.equal([]);
    });
  }

  it('fix filters its list by typed text, and leaves it with q and Esc', async () => {
    await scene.create(orphan('filtered', scene.namespace));
    for (const leave of ['q', 'Escape']) {
      const { code, screen } = await onTerminal(['fix', 'filtered', ...look], async (terminal) => {
        const list = await terminal.shows(/Which problem do you want/);
        for (const { meta } of [orphanedConfiguration, serviceNamespaceMissing])
          expect(list).to.contain(meta.title);
        await terminal.press(leave);
      });
      expect(code, screen).to.equal(130);
      expect(screen).to.match(/interrupted; nothing was changed/);
    }
    const { code, screen } = await onTerminal(['fix', 'filtered', ...look], async (terminal) => {
      await terminal.shows(/Which problem do you want/);
      // With a filter, q is a letter.
      await terminal.press('o', 'r', 'p', 'h', 'q');
      await terminal.shows(/No results/);
      await terminal.press('BSpace', 'Enter');
      await terminal.shows(/Which remedy do you want/);
      await terminal.press('q');
    });
    expect(code, screen).to.equal(130);
    expect(screen).to.match(/Which problem do you want to fix\? orphaned-configuration/);
  });

  it('changes nothing for a no, for Enter, and for a wrong confirmation', async () => {
    await scene.create(configuration('no', scene.namespace));
    await scene.create(orphan('remains', scene.namespace));
    const before = await Promise.all([live('no'), live('remains')]);
    for (const keys of [['n', 'Enter'], ['Enter']]) {
      const { code, screen } = await onTerminal(['failopen', 'no'], async (terminal) => {
        await terminal.shows(/Apply\?/);
        await terminal.press(...keys);
      });
      expect(code, screen).to.equal(1);
      expect(screen).to.match(/it was not confirmed/);
    }
    const target = 'orphaned-configuration:validating/remains/remains.example.com';
    const deleting = ['fix', target, '--remedy', 'delete-orphaned-configuration', ...look];
    const { code, screen } = await onTerminal(deleting, async (terminal) => {
      await terminal.shows(/Type remains to confirm/);
      await terminal.press('yes', 'Enter');
    });
    expect(code, screen).to.equal(1);
    expect(await Promise.all([live('no'), live('remains')])).to.deep.equal(before);
  });

  it('deletes after the typed confirmation, and undo prompts before it creates it again', async () => {
    await scene.create(orphan('remains', scene.namespace));
    const before = (await live('remains')) as KubeObject;
    const target = 'orphaned-configuration:validating/remains/remains.example.com';
    const deleting = ['fix', target, '--remedy', 'delete-orphaned-configuration', ...look];
    const { code, screen, home } = await onTerminal(deleting, async (terminal) => {
      await terminal.shows(/Type remains to confirm/);
      await terminal.press('remains', 'Enter');
    });
    expect(code, screen).to.equal(0);
    expect(await live('remains')).to.equal(undefined);

    const stopped = await onTerminal(
      ['undo'],
      async (terminal) => {
        await terminal.shows(/Undo [\s\S]*\(y\/N\)/);
        await terminal.press('C-c');
      },
      home,
    );
    expect(stopped.code, stopped.screen).to.equal(130);
    expect(await live('remains')).to.equal(undefined);
    const undone = await onTerminal(
      ['undo'],
      async (terminal) => {
        await terminal.shows(/Undo [\s\S]*\(y\/N\)/);
        await terminal.press('y', 'Enter');
      },
      home,
    );
    expect(undone.code, undone.screen).to.equal(0);
    const again = (await live('remains')) as KubeObject;
    expect(again.webhooks).to.deep.equal(before.webhooks);
    expect(again.metadata.annotations).to.deep.equal(before.metadata.annotations);
  });

  it('prompts on a terminal before it disables a policy engine, and accepts a no', async () => {
    const [webhook] = configuration('engine', scene.namespace).webhooks;
    const engine = { ...configuration('engine', scene.namespace) };
    engine.webhooks = [{ ...webhook, name: 'validation.gatekeeper.sh' }];
    await scene.create(engine);
    const accepts = /Gatekeeper enforces its constraints[\s\S]*Accept that\? \(y\/N\)/;
    const before = await live('engine');
    const declined = await onTerminal(['failopen', 'engine'], async (terminal) => {
      await terminal.shows(accepts);
      await terminal.press('n', 'Enter');
    });
    expect(declined.code, declined.screen).to.equal(1);
    expect(declined.screen).not.to.include('Apply?');
    expect(await live('engine')).to.deep.equal(before);
    const advance = await onTerminal(['failopen', 'engine', '--yes'], async () => undefined);
    expect(advance.code, advance.screen).to.equal(1);
    expect(advance.screen).to.include('--i-accept-unchecked-admission').and.not.to.include('Accept that?');
    expect(await live('engine')).to.deep.equal(before);
    const { code, screen, home } = await onTerminal(['failopen', 'engine'], async (terminal) => {
      await terminal.shows(accepts);
      await terminal.press('y', 'Enter');
      await terminal.shows(/to Ignore\. Apply\? \(y\/N\)/);
      await terminal.press('y', 'Enter');
    });
    expect(code, screen).to.equal(0);
    expect((await live('engine'))?.webhooks[0].failurePolicy).to.equal('Ignore');
    const undone = await onTerminal(
      ['undo'],
      async (terminal) => {
        await terminal.shows(
          /Calls to validation\.gatekeeper\.sh fail[\s\S]*Restore failurePolicy Fail for validation\.gatekeeper\.sh\?/,
        );
        await terminal.press('y', 'Enter');
      },
      home,
    );
    expect(undone.code, undone.screen).to.equal(0);
    expect((await live('engine'))?.webhooks[0].failurePolicy).to.equal('Fail');
  });

  it('reports that the change remains, and how to undo it, while it verifies the change', async () => {
    for (const [more, says] of [
      [[], /the change was made but not verified[\s\S]*kubectl webhook undo \d{8}-\d{6}-\w+/],
      [['--for', '1h'], /Restore failurePolicy Fail now\?[\s\S]*undone/],
    ] as const) {
      const name = more.length === 0 ? 'looked-at' : 'looked-at-for';
      await scene.create(configuration(name, scene.namespace));
      const { code, screen, home } = await onTerminal(
        ['failopen', name, '--watch', '60s', ...more],
        async (terminal) => {
          await terminal.shows(/Apply\?/);
          await terminal.press('y', 'Enter');
          await terminal.shows(/verifying the result/);
          await terminal.press('C-c');
          if (more.length === 0) return;
          await terminal.shows(/Restore failurePolicy Fail now\?/);
          await terminal.press('y', 'Enter');
        },
      );
      expect(screen).to.match(says);
      expect([code, await opened(name)]).to.deep.equal(more.length === 0 ? [130, 'Ignore'] : [0, 'Fail']);
      const undone = await plugin(['undo', '--yes', '--kubeconfig', scene.kubeconfig], { HOME: home });
      expect(undone.code, undone.stderr).to.equal(0);
    }
  });

  it('ends failopen --for with a prompt, and applies either answer', async () => {
    for (const [answer, policy, code] of [
      ['y', 'Fail', 0],
      ['n', 'Ignore', 130],
      ['C-c', 'Ignore', 130],
      ['C-c at once', 'Ignore', 130],
    ] as const) {
      const name = `for-${answer.toLowerCase().replaceAll(' ', '-')}`;
      await scene.create(configuration(name, scene.namespace));
      const { home, ...ended } = await onTerminal(
        ['failopen', name, '--for', '1h', '--watch', '300ms'],
        async (terminal) => {
          await terminal.shows(/Apply\?/);
          await terminal.press('y', 'Enter');
          await terminal.shows(/restoring failurePolicy Fail/);
          if (answer === 'C-c at once') return terminal.press('C-c', 'C-c');
          await terminal.press('C-c');
          await terminal.shows(/Restore failurePolicy Fail now\?/);
          await terminal.press(answer, ...(answer === 'C-c' ? [] : ['Enter']));
        },
      );
      expect(ended.code, ended.screen).to.equal(code);
      expect(await opened(name)).to.equal(policy);
      if (policy === 'Fail') continue;
      expect(ended.screen).to.match(/failurePolicy stays Ignore[\s\S]*kubectl webhook undo/);
      const undone = await plugin(['undo', '--yes', '--kubeconfig', scene.kubeconfig], { HOME: home });
      expect(undone.code, undone.stderr).to.equal(0);
      expect(await opened(name)).to.equal('Fail');
    }
  });
});

import { namespace } from '../../cluster/manifests.ts';
import { mutating, rule, webhook } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const orphanedAfterUninstall = defineScenario({
  slug: 'orphaned-after-uninstall',
  story: [
    'A Helm release was uninstalled.',
    'Its webhook configuration had been registered at run time, or belonged to a hook, so Helm left it.',
    'Nothing is left that could serve it, or make its Service again.',
  ],
  source: 'https://github.com/kai-scheduler/KAI-Scheduler/issues/751',
  parts: [
    namespace('scheduler-system'),
    mutating(
      'gang-scheduler',
      [
        webhook('jobs.gang-scheduler.example.com', {
          service: 'scheduler-system/gang-scheduler-admission',
          path: '/mutate',
          rules: [rule('batch/v1', 'jobs', 'CREATE')],
        }),
      ],
      {
        labels: { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/name': 'gang-scheduler' },
        annotations: {
          'meta.helm.sh/release-name': 'gang-scheduler',
          'meta.helm.sh/release-namespace': 'scheduler-system',
        },
      },
    ),
  ],
  expect: [
    {
      callout: 'mutating/gang-scheduler/jobs.gang-scheduler.example.com',
      state: 'failing',
      link: 'routing',
      cause: 'service-missing',
      effect: 'blocks',
      error: 'service "gang-scheduler-admission" not found',
    },
  ],
});

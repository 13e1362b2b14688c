import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment, job } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const completedJobPods = defineScenario({
  slug: 'completed-job-pods',
  story: [
    "The Service's selector also catches the Pods of a Job that made the certificate.",
    'They have ended.',
    'Ended Pods are no endpoints.',
  ],
  parts: [
    namespace('with-job'),
    service('with-job/with-job', { selector: { product: 'with-job' } }),
    deployment('with-job/with-job', { labels: { product: 'with-job' } }),
    job('with-job/with-job-certificate', { product: 'with-job' }),
    validating('with-job', [webhook('with-job.example.com', { service: 'with-job/with-job' })]),
  ],
  expect: [],
});

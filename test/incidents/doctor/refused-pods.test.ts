import { describeDoctor } from '../diagnosed.ts';
import { refusedPods } from '../states/refused-pods.ts';

describeDoctor('refused pods', refusedPods);

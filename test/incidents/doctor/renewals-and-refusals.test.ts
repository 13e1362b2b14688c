import { describeDoctor } from '../diagnosed.ts';
import { renewalsAndRefusals } from '../states/renewals-and-refusals.ts';

describeDoctor('renewals and refusals', renewalsAndRefusals);

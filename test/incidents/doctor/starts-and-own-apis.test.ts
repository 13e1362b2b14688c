import { describeDoctor } from '../diagnosed.ts';
import { startsAndOwnApis } from '../states/starts-and-own-apis.ts';

describeDoctor('starts and own APIs', startsAndOwnApis);

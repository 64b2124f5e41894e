/** How long an enrolment link can be used, in hours. */
export const enrolmentHours = 24

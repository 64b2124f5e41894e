import { maxUsageHours } from '@passport/contract/entitlement-usage'
import { problem } from '../http/problem.ts'

export const entitlementNotFound = problem(404, 'entitlement-not-found', {
  meaning: 'Entitlement not found.',
  remedy: 'Check the id. A deleted entitlement can be restored from the trash.',
})
export const keyTaken = problem(409, 'key-taken', {
  meaning: 'An entitlement with this key already exists.',
  remedy: 'Choose another key. An entitlement in the trash keeps its key until it is purged.',
  showRemedy: true,
  field: 'key',
})
export const grantFromAws = problem(409, 'grant-from-aws', {
  meaning: 'The grant follows a subscription of AWS Marketplace, and changes only with it.',
  remedy: 'Change the subscription, or add a manual grant.',
})
export const grantNotFound = problem(404, 'entitlement-grant-not-found', {
  meaning: 'The entitlement has no such grant.',
  remedy: 'Check the id. The grants of a deleted organisation return when it is restored.',
})
export const entitlementMapped = problem(409, 'entitlement-mapped', {
  meaning: 'A product is sold as this entitlement.',
  remedy: 'Remove the entitlement from the dimensions of the product first.',
  details: (productName: string, dimension: string) => ({
    detail: `The dimension ${dimension} of the product ${productName} is sold as this entitlement.`,
  }),
})
export const usageTooOld = problem(400, 'usage-too-old', {
  meaning: `Usage is accepted for ${maxUsageHours} hours.`,
  remedy: 'Report usage within the hour.',
  field: 'at',
})

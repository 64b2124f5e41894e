import { maxMappings } from '@passport/contract/org-entra'
import type { FieldError } from '@passport/contract/problem'
import { problem } from '../http/problem.ts'

export const notConfigured = problem(501, 'entra-not-configured', {
  meaning: 'No cloud of Microsoft Entra is configured.',
  remedy: 'Ask the operator of the server to set ENTRA_CLOUDS.',
  showRemedy: true,
})
export const unknownCloud = problem(400, 'cloud-unknown', {
  meaning: 'This cloud is not configured.',
  remedy: 'Choose among the clouds in ENTRA_CLOUDS, or leave the field out.',
  field: 'cloud',
})
export const tenantNotFound = problem(404, 'tenant-not-found', {
  meaning: 'No tenant found.',
  remedy: 'Check the domain or the tenant id. The tenant must have verified the domain.',
  details: (text: string) => ({ detail: `No tenant found for ${text}.` }),
})
export const tenantConsumer = problem(400, 'tenant-consumer', {
  meaning: 'This is the tenant of personal Microsoft accounts, which belongs to no organisation.',
  remedy: 'Use a domain or the tenant id of the organisation itself.',
  details: (field: 'domain' | 'tenantId') => {
    const detail = 'This is the tenant of personal Microsoft accounts, which belongs to no organisation.'
    return { detail, errors: [{ field, code: 'tenant-consumer', message: detail }] }
  },
})
export const tenantAmbiguous = problem(409, 'tenant-ambiguous', {
  meaning: 'Several clouds have a tenant with this domain. `clouds` lists them.',
  remedy: 'Send the request again with one of them as `cloud`.',
  details: (clouds: string[]) => ({
    detail: `${clouds.join(' and ')} have a tenant with this domain. Choose one of these clouds.`,
    errors: [{ field: 'cloud', code: 'tenant-ambiguous', message: `Choose one of ${clouds.join(', ')}.` }],
    members: { clouds },
  }),
})
export const tenantLinked = problem(409, 'tenant-already-linked', {
  meaning: 'This tenant belongs to another organisation. `orgId` and `orgName` identify it.',
  remedy: 'Use that organisation. If it is in the trash, restore it, or wait until it is purged.',
  details: ({ orgId, orgName, orgDeletedAt }: { orgId: string; orgName: string; orgDeletedAt: string | null }) => ({
    detail: orgDeletedAt
      ? `This tenant belongs to ${orgName}, which is in the trash. Restore it, or wait until it is purged.`
      : `This tenant belongs to ${orgName} already.`,
    members: { orgId, orgName, ...(orgDeletedAt && { orgDeletedAt }) },
  }),
})
export const cloudUnavailable = problem(503, 'cloud-unavailable', {
  meaning: 'A cloud of Microsoft Entra is not responding.',
  remedy: 'Try again in a moment.',
  retryAfterSeconds: 10,
  details: (clouds: string[]) => ({
    detail: `${clouds.join(' and ')} ${clouds.length === 1 ? 'is' : 'are'} not responding. Try again in a moment.`,
    members: { clouds },
  }),
})

export const notLinked = problem(404, 'entra-not-linked', {
  meaning: 'This organisation has no tenant of Microsoft Entra.',
  remedy: 'Create an organisation from the tenant.',
})
export const cloudRemoved = problem(409, 'cloud-not-configured', {
  meaning: 'The cloud of this tenant is no longer configured.',
  remedy: 'Ask the operator of the server to add it to ENTRA_CLOUDS.',
  showRemedy: true,
})
export const consentMissing = problem(409, 'consent-missing', {
  meaning: 'The tenant has not consented.',
  remedy: 'Send the consent link to an administrator of the tenant first.',
  showRemedy: true,
})
export const testMissing = problem(409, 'test-missing', {
  meaning: 'Sign-in through this tenant has not been tested since its last change.',
  remedy: 'Complete a test sign-in first.',
  showRemedy: true,
})
export const invalidMappings = problem(400, 'mapping-invalid', {
  meaning: 'The target of a mapping does not exist or cannot be a target.',
  remedy: 'Correct the mappings in `errors`. Built-in roles can only be given to users and groups directly.',
  details: (errors: FieldError[]) => ({ detail: errors.map(({ message }) => message).join(' '), errors }),
})
export const tooManyMappings = problem(400, 'mapping-limit', {
  meaning: `An organisation has at most ${maxMappings} mappings.`,
  remedy: 'Remove mappings that are no longer needed.',
  field: 'mappings',
})
export const groupCarriesRole = problem(409, 'group-carries-role', {
  meaning: 'A group with a built-in role cannot be the target of a mapping.',
  remedy: 'Choose another group, or remove the role from the group first.',
  details: (errors: FieldError[]) => ({ detail: errors.map(({ message }) => message).join(' '), errors }),
})

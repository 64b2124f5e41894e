import { maxSetupLinks } from '@passport/contract/setup'
import { problem } from '../http/problem.ts'

export const linkNotFound = problem(404, 'setup-link-not-found', {
  meaning: 'The organisation has no such set-up link.',
  remedy: 'List the links of the organisation.',
})
export const linkLimit = problem(409, 'setup-link-limit', {
  meaning: `An organisation has at most ${maxSetupLinks} live set-up links.`,
  remedy: 'Revoke one of them first.',
  showRemedy: true,
})
export const notOwner = problem(403, 'setup-not-yours', {
  meaning: 'Only owners of the organisation and administrators can send set-up links.',
  remedy: 'Ask an owner of the organisation, or an administrator.',
})

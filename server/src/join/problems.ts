import { problem } from '../http/problem.ts'

export const linkNotFound = problem(404, 'join-link-not-found', {
  meaning: 'Link not found.',
  remedy: 'List the links again. Only those who manage the group or organisation can see its links.',
})
export const notManager = problem(403, 'group-not-yours-to-run', {
  meaning: 'Only owners of the group can do this.',
  remedy: 'Ask an owner of the group or an administrator.',
})
export const wrongEmail = problem(403, 'wrong-email', {
  meaning: 'This link is for another email address.',
  remedy: 'Sign in with an account that has this address, verified.',
})
export const wrongDomain = problem(403, 'wrong-domain', {
  meaning: 'This link is for email addresses at certain domains.',
  remedy: 'Sign in with an account that has such an address, verified.',
  details: (domains: string[]) => ({ detail: `This link is for email addresses at ${domains.join(' or ')}.` }),
})
export const inviterUnauthorized = problem(403, 'inviter-may-not', {
  meaning: 'The creator of this link can no longer add members.',
  remedy: 'Ask for a new link.',
  showRemedy: true,
})

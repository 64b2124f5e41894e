import type { FieldError } from '@passport/contract/problem'
import { problem } from '../http/problem.ts'

export const orgNotFound = problem(404, 'org-not-found', {
  meaning: 'Organisation not found.',
  remedy: 'Check the id. Only members of an organisation and administrators can see it.',
})
export const notManager = problem(403, 'org-not-yours-to-run', {
  meaning: 'Only owners and admins of the organisation can do this.',
  remedy: 'Ask an owner or admin of the organisation, or an administrator.',
})
export const notOwner = problem(403, 'owner-not-yours-to-make', {
  meaning: 'Only owners can add or remove owners.',
  remedy: 'Ask an owner of the organisation or an administrator.',
})
export const memberNotFound = problem(404, 'member-not-found', {
  meaning: 'This user is not a member of the organisation.',
  remedy: 'Add the user first.',
})
export const slugTaken = problem(409, 'slug-taken', {
  meaning: 'An organisation with this slug already exists.',
  remedy: 'Choose another slug.',
  field: 'slug',
})

export const domainNotFound = problem(404, 'domain-not-found', {
  meaning: 'Domain not found.',
  remedy: 'Add the domain to the organisation first.',
})
export const domainExists = problem(409, 'domain-there', {
  meaning: 'The organisation already has this domain.',
  remedy: 'Verify the existing domain.',
  details: (domain: string) => ({ detail: `The organisation already has the domain ${domain}.` }),
})
export const domainTaken = problem(409, 'domain-taken', {
  meaning: 'Another organisation has verified the domain. A domain can belong to only one organisation.',
  remedy: 'Remove the domain from the other organisation first.',
  details: (domain: string) => ({
    detail: `Another organisation has verified ${domain}. A domain can belong to only one organisation.`,
  }),
})
export const domainPublic = problem(400, 'domain-public', {
  meaning: 'Domains of public mail services are not allowed.',
  remedy: 'Use a domain that only the organisation has.',
  details: (errors: FieldError[]) => ({ errors }),
})
export const dnsUnavailable = problem(503, 'dns-unavailable', {
  meaning: 'The DNS servers of the domain are not responding.',
  remedy: 'Try again in a moment.',
  retryAfterSeconds: 10,
  details: (domain: string) => ({
    detail: `The DNS servers of ${domain} are not responding. Try again in a moment.`,
  }),
})
export const dnsNotFound = problem(409, 'dns-not-found', {
  meaning: 'DNS has no TXT record with the expected value. `found` lists the existing records.',
  remedy: 'Create the record that the domain names. New records can take a few minutes to appear.',
  details: (dnsName: string, found: string[]) => {
    const reason =
      found.length === 0 ? `No TXT record found at ${dnsName}.` : `The TXT record at ${dnsName} has a different value.`
    return { detail: `${reason} New records can take a few minutes to appear.`, members: { found } }
  },
})

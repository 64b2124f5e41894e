import * as z from 'zod/mini'
import { AuditEntry } from './audit.ts'
import { endpoint, json } from './endpoint.ts'

/** The number of days of an overview, the current one included. */
export const overviewDays = 30

/** The numbers of sign-ins that succeeded and failed. */
const SignIns = z.object({ succeeded: z.int(), failed: z.int() })

/** The figures of an installation, and the records that need an administrator. */
export const Overview = z
  .object({
    users: z.object({
      total: z.int(),
      /** Users who signed in within 30 days. */
      active: z.int(),
      invited: z.int(),
      disabled: z.int(),
      /** Users created within 30 days. */
      created: z.int(),
      /** Users created in the 30 days before those. */
      createdBefore: z.int(),
    }),
    signIns: z.object({
      last24Hours: SignIns,
      last7Days: SignIns,
      /** The seven days before the last seven. */
      previous7Days: SignIns,
    }),
    /** `overviewDays` days in UTC, oldest first. */
    days: z.array(
      z.extend(SignIns, {
        day: z.iso.date(),
        /** Users who signed in. */
        active: z.int(),
        created: z.int(),
        /** The largest number of sessions in use within an hour; null if no server counted them. */
        sessions: z.nullable(z.int()),
        /** Issued tokens. */
        tokens: z.int(),
        /** Responses with a status of 400 or more. */
        errors: z.int(),
        requests: z.int(),
      }),
    ),
    /** The failed sign-ins of these days by the code of their reason, most frequent first. */
    failures: z.array(z.object({ reason: z.string(), count: z.int() })),
    attention: z.object({
      /** Users who can administer the console. */
      administrators: z.int(),
      /** Claimed invitations, which an administrator has to confirm. */
      claimedInvitations: z.int(),
      /** Open invitations whose email was not delivered. */
      undeliveredInvitations: z.int(),
      /** Failed emails, other than invitations, that can be sent again. */
      undeliveredMails: z.int(),
      /** Open invitations that expire within 3 days. */
      expiringInvitations: z.int(),
      /** Up to five domains whose DNS record is missing. */
      failingDomains: z.array(z.object({ domain: z.string(), orgId: z.string(), orgName: z.string() })),
      /** Accounts locked within 24 hours after wrong passwords. */
      locks: z.int(),
      /** Checks of the health page that were slow or down at their last sample, failed ones first. */
      checks: z.array(z.object({ name: z.string(), status: z.enum(['slow', 'down']) })),
    }),
    /** The first steps of an installation, and whether each is done. */
    setup: z.object({
      /** An identity provider of others, or a cloud of Microsoft Entra, is configured. */
      hasProvider: z.boolean(),
      hasMail: z.boolean(),
      hasBranding: z.boolean(),
      hasOrg: z.boolean(),
      hasInvited: z.boolean(),
      hasClient: z.boolean(),
      hasPermissions: z.boolean(),
    }),
    /** The newest changes of the directory and of access, without sign-ins. */
    changes: z.array(AuditEntry),
  })
  .check(z.meta({ id: 'Overview' }))
export type Overview = z.infer<typeof Overview>

export const getOverview = endpoint('GET', '/passport/admin/overview', {
  summary: 'Get the figures of the installation',
  access: 'admin',
  returns: json(Overview),
})

import type { Overview } from '@passport/contract/overview'

/** A step of setting an installation up, taken at a page of the console or as a guide says. */
export interface SetupStep {
  label: string
  /** Why, and how. */
  detail: string
  action: string
  /** A page of the console, or, with `isGuide`, of the guides. */
  to: string
  isGuide?: true
  isDone: boolean
}

/** Returns the first steps of an installation, in the order in which they help most. */
export const listSteps = ({ setup, attention }: Pick<Overview, 'setup' | 'attention'>): SetupStep[] => [
  {
    label: 'Connect an identity provider',
    detail: 'Colleagues sign in with the account that they have. A setting names the provider.',
    action: 'Read how',
    to: '/docs/configuration#the-file',
    isGuide: true,
    isDone: setup.hasProvider,
  },
  {
    label: 'Set up email',
    detail: 'For invitations and notices. A setting names the mail server.',
    action: 'Read how',
    to: '/docs/configuration#mail',
    isGuide: true,
    isDone: setup.hasMail,
  },
  {
    label: 'Choose your name and logo',
    detail: 'Users see them when they sign in, with your colour.',
    action: 'Choose branding',
    to: '/admin/branding',
    isDone: setup.hasBranding,
  },
  {
    label: 'Create an organisation',
    detail: 'A customer or a department, with members, domains and entitlements of its own.',
    action: 'Create organisation',
    to: '/admin/orgs/create',
    isDone: setup.hasOrg,
  },
  {
    label: 'Invite a colleague',
    detail: 'By email, with the roles and the organisation they start with.',
    action: 'Invite by email',
    to: '/admin/users/invitations/create',
    isDone: setup.hasInvited,
  },
  {
    label: 'Add a second administrator',
    detail: 'If you lose access, another administrator can restore it.',
    action: 'Choose a user',
    to: '/admin/roles/Passport.Admin',
    isDone: attention.administrators > 1,
  },
  {
    label: 'Register an application',
    detail: 'It signs users in and gets tokens, by OpenID Connect.',
    action: 'Register application',
    to: '/admin/identity/clients/create',
    isDone: setup.hasClient,
  },
  {
    label: 'Define permissions',
    detail: 'Load the sample, ask who may do what, and see why.',
    action: 'Open the schema',
    to: '/admin/tools/permissions',
    isDone: setup.hasPermissions,
  },
]

import { defineMail, formatDay } from './kind.ts'
import { toName } from './message.ts'

const toTokens = (publicUrl: string) => ({ label: 'See your personal tokens', url: `${publicUrl}/app/account/tokens` })

export const personalTokenRevoked = defineMail<{ name: string }>({
  write: ({ name }, { brandName, publicUrl }) => ({
    subject: `Personal token revoked in your ${brandName} account`,
    paragraphs: [`An administrator revoked your personal token “${name}”. Programs that use it no longer have access.`],
    action: toTokens(publicUrl),
  }),
  examples: { 'A revoked token': { name: 'Laptop' } },
})

export interface ExpiringTokens {
  tokens: { name: string; start: string; expiresAt: string }[]
}

export const personalTokensExpiring = defineMail<ExpiringTokens>({
  write: ({ tokens }, { brandName, publicUrl }) => ({
    subject:
      tokens.length === 1
        ? `A personal token of your ${brandName} account expires soon`
        : `${tokens.length} personal tokens of your ${brandName} account expire soon`,
    paragraphs: tokens.map(
      ({ name, start, expiresAt }) => `Your personal token “${name}” (${start}…) expires on ${formatDay(expiresAt)}.`,
    ),
    advice: ['Programs that use it lose access then. Create a new token and replace it before that day.'],
    action: toTokens(publicUrl),
  }),
  examples: {
    'One token': { tokens: [{ name: 'Nightly', start: 'psp_a1B2', expiresAt: '2026-12-04T00:00:00.000Z' }] },
    'Several tokens': {
      tokens: [
        { name: 'Nightly', start: 'psp_a1B2', expiresAt: '2026-12-04T00:00:00.000Z' },
        { name: 'Weekly', start: 'psp_c3D4', expiresAt: '2026-12-05T00:00:00.000Z' },
      ],
    },
  },
})

export const passwordGuesses = defineMail<{ count: number; username: string }>({
  perDay: null,
  write: ({ count, username }, { brandName, publicUrl }) => ({
    subject: `Many wrong passwords for your ${brandName} account`,
    paragraphs: [
      `${count} wrong passwords were entered for your username ${username} within a day. For the next 24 hours, your password is accepted only in browsers in which you have signed in before.`,
      'An administrator can set a new password for you, which works immediately.',
    ],
    action: { label: 'See your activity', url: `${publicUrl}/app/account/logins` },
  }),
  validMinutes: () => 24 * 60,
  examples: { 'Many wrong passwords': { count: 100, username: 'nora' } },
})

export const signUpCode = defineMail<{ code: string; minutes: number }>({
  perDay: null,
  write: ({ code, minutes }, { brandName }) => ({
    subject: `Your code for ${brandName}`,
    paragraphs: [`Enter this code to create your account at ${brandName}:`],
    code,
    smallPrint: `The code is valid for ${minutes} minutes. If you did not ask for it, ignore this message and keep the code to yourself.`,
  }),
  validMinutes: ({ minutes }) => minutes,
  examples: { 'A new account': { code: '123456', minutes: 10 } },
})

export const accountExists = defineMail<Record<string, never>>({
  perDay: null,
  write: (_, { brandName, publicUrl }) => ({
    subject: `You have an account at ${brandName}`,
    paragraphs: [
      `Someone, probably you, tried to create an account at ${brandName} with this address. You have an account already: sign in with it.`,
    ],
    action: { label: 'Sign in', url: `${publicUrl}/login` },
    smallPrint: 'If it was not you, ignore this message. Nothing was changed.',
  }),
  validMinutes: () => 24 * 60,
  examples: { 'A known address': {} },
})

export interface SentInvitation {
  inviter: string
  orgName: string | null
  email: string
  /** The path of the link, with its token. */
  path: string
  days: number
}

export const invitation = defineMail<SentInvitation>({
  perDay: null,
  write: ({ inviter, orgName, email, path, days }, { brandName, publicUrl }) => {
    const [from, org] = [toName(inviter), orgName === null ? null : toName(orgName)]
    return {
      subject: `${from} invites you to ${org ?? brandName}`,
      paragraphs: [`${from} invites you to ${org === null ? brandName : `${org} at ${brandName}`}.`],
      action: { label: 'Accept the invitation', url: `${publicUrl}${path}` },
      smallPrint: `This invitation is for ${email}. It can be used once and expires in ${days} days. If you did not expect it, ignore this message.`,
    }
  },
  examples: {
    'To an organisation': {
      inviter: 'Ada Abara',
      orgName: 'Contoso Farms',
      email: 'nora@contoso.example',
      path: '/app/join/example',
      days: 14,
    },
    'To the installation': {
      inviter: 'Ada Abara',
      orgName: null,
      email: 'nora@contoso.example',
      path: '/app/join/example',
      days: 14,
    },
  },
})

export interface RevokedConsent {
  tenant: string
  orgId: string
  orgName: string
  /** The name of the installation, which the tenant knows. */
  appName: string
  /** The recipient is an owner of the organisation; otherwise an administrator of the installation. */
  isOwner: boolean
}

const consent = { tenant: 'Contoso Ltd', orgId: 'example', orgName: 'Contoso Farms', appName: 'Stage Passport' }

export const consentRevoked = defineMail<RevokedConsent>({
  write: ({ tenant, orgId, orgName, appName, isOwner }, { publicUrl }) => ({
    subject: `${tenant} no longer allows ${appName} to read its directory`,
    paragraphs: [
      `An administrator of the Microsoft Entra tenant ${tenant} removed ${appName}, or its permissions. It is the tenant of the organisation ${orgName}.`,
      `Users of ${orgName} may not be able to sign in. ${
        isOwner
          ? `Ask an administrator of ${appName} for a new consent link.`
          : 'Send an administrator of the tenant a new consent link. The organisation has no owner, so its administrators get this email.'
      }`,
    ],
    action: { label: 'Open the organisation', url: `${publicUrl}/app/${isOwner ? 'account' : 'admin'}/orgs/${orgId}` },
  }),
  examples: { 'To an owner': { ...consent, isOwner: true }, 'To an administrator': { ...consent, isOwner: false } },
})

export interface LeftRoles {
  kind: 'user' | 'group'
  /** The name of the restored user or group. */
  name: string
  orgId: string
  orgName: string
  /** What was not restored. */
  left: string
  /** The recipient is an owner of the organisation; otherwise an administrator of the installation. */
  isOwner: boolean
}

const restored = {
  kind: 'user',
  name: 'Nora Nyman',
  orgId: 'example',
  orgName: 'Contoso Farms',
  left: 'roles (Stage.Editor)',
} as const

export const rolesLeft = defineMail<LeftRoles>({
  write: ({ kind, name, orgId, orgName, left, isOwner }, { publicUrl }) => ({
    subject: `${name} was restored without roles`,
    paragraphs: [
      `The provisioning of ${orgName} restored the deleted ${kind} ${name}. Not restored: ${left}.`,
      isOwner
        ? 'If they are still needed, ask an administrator to give them again.'
        : 'Give them again if they are still needed. The organisation has no owner, so its administrators get this email.',
    ],
    action: { label: 'Open the organisation', url: `${publicUrl}/app/${isOwner ? 'account' : 'admin'}/orgs/${orgId}` },
  }),
  examples: { 'To an owner': { ...restored, isOwner: true }, 'To an administrator': { ...restored, isOwner: false } },
})

export interface SubscriptionChange {
  productName: string
  orgName: string
  supportEmail: string
  /** `pending` and `active` when it is redeemed, `confirmed` and `ended` later. */
  change: 'pending' | 'active' | 'confirmed' | 'ended'
}

const subscriptionTexts = {
  pending: {
    suffix: 'is set up',
    toText: (product: string, org: string) =>
      `The subscription to ${product} from AWS Marketplace now belongs to ${org}. We are waiting for AWS to confirm it, and will email you when it is ready.`,
  },
  active: {
    suffix: 'is ready',
    toText: (product: string, org: string) =>
      `The subscription to ${product} from AWS Marketplace now belongs to ${org}. Its members can use it.`,
  },
  confirmed: {
    suffix: 'is ready',
    toText: (product: string, org: string) =>
      `AWS has confirmed the subscription to ${product}. The members of ${org} can use it.`,
  },
  ended: {
    suffix: 'has ended',
    toText: (product: string, org: string) =>
      `The subscription of ${org} to ${product} has ended, and so has the access that came with it. You can subscribe again in AWS Marketplace.`,
  },
}

const subscribed = { productName: 'Stage Seats', orgName: 'Contoso Farms', supportEmail: 'support@stage.example' }

export const subscription = defineMail<SubscriptionChange>({
  write: ({ productName, orgName, supportEmail, change }, { publicUrl }) => ({
    subject: `Your subscription to ${productName} ${subscriptionTexts[change].suffix}`,
    paragraphs: [subscriptionTexts[change].toText(productName, orgName)],
    action: { label: 'See your subscriptions', url: `${publicUrl}/app/account/subscriptions` },
    smallPrint: `Questions? Write to ${supportEmail}.`,
  }),
  examples: {
    'Set up': { ...subscribed, change: 'pending' },
    'Ready at once': { ...subscribed, change: 'active' },
    'Ready later': { ...subscribed, change: 'confirmed' },
    Ended: { ...subscribed, change: 'ended' },
  },
})

export const test = defineMail<{ sender: string }>({
  perDay: null,
  write: ({ sender }, { brandName, publicUrl }) => ({
    subject: `Test email from ${brandName}`,
    paragraphs: [
      `${sender} sent this email to test the delivery of ${brandName}. It arrived, so there is nothing to do.`,
    ],
    action: { label: 'See the emails', url: `${publicUrl}/app/admin/mail` },
  }),
  examples: { 'A test': { sender: 'Ada Abara' } },
})

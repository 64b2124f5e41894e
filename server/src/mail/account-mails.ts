import { describeDevice } from '../http/user-agent.ts'
import type { Visit } from '../http/visit.ts'
import { defineMail, formatDay, formatInstant, type MailOrigin } from './kind.ts'
import type { Fact } from './message.ts'

/** A change of an account. Without an origin, an administrator made it. */
export interface AccountChange {
  origin: MailOrigin | null
  at: string
}

const browser: MailOrigin = { device: 'Firefox 131 on Linux', ip: '203.0.113.7' }
const change: AccountChange = { origin: browser, at: '2026-11-27T20:14:00.000Z' }
const byAdministrator: AccountChange = { ...change, origin: null }

/** Describes a change: its origin and its time. Without a visit, an administrator made it. */
export function toAccountChange(visit: Visit): AccountChange & { origin: MailOrigin }
export function toAccountChange(visit: Visit | null): AccountChange
export function toAccountChange(visit: Visit | null): AccountChange {
  const at = new Date().toISOString()
  return { origin: visit && { device: describeDevice(visit.userAgent), ip: visit.ip }, at }
}

function toFacts({ origin, at }: AccountChange): Fact[] {
  const time: Fact = ['Time', formatInstant(at)]
  if (!origin) return [['Changed by', 'An administrator'], time]
  const device: Fact[] = origin.device === '' ? [] : [['Device', origin.device]]
  return [...device, ['IP address', origin.ip], time]
}

export interface NewDevice extends AccountChange {
  origin: MailOrigin
  providerName: string
  browserId: string
}

export const newDevice = defineMail<NewDevice>({
  perDay: 10,
  write: ({ providerName, ...signIn }, { brandName, publicUrl }) => ({
    subject: `New sign-in to your ${brandName} account`,
    paragraphs: [`Someone signed in to your ${brandName} account on a new device.`],
    facts: [['Signed in with', providerName], ...toFacts(signIn)],
    advice: ['If this was you, there is nothing to do.'],
    action: { label: 'See your sessions', url: `${publicUrl}/app/account/logins` },
    smallPrint: `You can switch off these emails in your profile: ${publicUrl}/app/account/profile`,
  }),
  ends: ({ browserId }) => ({ browserId }),
  examples: { 'A new browser': { ...change, origin: browser, providerName: 'Passport', browserId: '' } },
})

export interface EmailChange extends AccountChange {
  formerEmail: string | null
  email: string | null
  isToFormer: boolean
  /** The organisation that gave the email to another user, because it has verified the domain. */
  owner?: string
  /** The address that the identity provider states, and that another account has. */
  refusedEmail?: string | undefined
}

export const emailChanged = defineMail<EmailChange>({
  write: ({ formerEmail, email, isToFormer, owner, refusedEmail, ...change }, { brandName, publicUrl }) => ({
    subject:
      refusedEmail === undefined
        ? `The email of your ${brandName} account was changed`
        : `The email of your ${brandName} account is no longer verified`,
    paragraphs:
      refusedEmail === undefined
        ? [
            isToFormer
              ? `${formerEmail} is no longer the email of your ${brandName} account.`
              : `${email} is now the email of your ${brandName} account.`,
            ...(owner === undefined
              ? []
              : [`The account had not verified it. ${owner} has verified the domain, and gave it to another account.`]),
          ]
        : [
            `Your identity provider states that your email is ${refusedEmail}, but another account has it.`,
            `Your account keeps ${email}, which is no longer verified. Ask an administrator which account to use.`,
          ],
    facts:
      owner === undefined
        ? toFacts(change)
        : [
            ['Changed by', owner],
            ['Time', formatInstant(change.at)],
          ],
    action: { label: 'See your profile', url: `${publicUrl}/app/account/profile` },
  }),
  examples: {
    'To the former address': {
      ...change,
      formerEmail: 'nora@old.example',
      email: 'nora@new.example',
      isToFormer: true,
    },
    'To the new address': { ...change, formerEmail: 'nora@old.example', email: 'nora@new.example', isToFormer: false },
    'By an administrator': {
      ...byAdministrator,
      formerEmail: 'nora@old.example',
      email: 'nora@new.example',
      isToFormer: true,
    },
    'By the owner of the domain': {
      ...byAdministrator,
      formerEmail: 'nora@old.example',
      email: null,
      isToFormer: true,
      owner: 'Old Example Ltd',
    },
    'That another account has': {
      ...change,
      formerEmail: 'nora@old.example',
      email: 'nora@old.example',
      isToFormer: false,
      refusedEmail: 'nora@new.example',
    },
  },
})

export interface UsernameChange extends AccountChange {
  formerUsername: string | null
  username: string | null
}

export const usernameChanged = defineMail<UsernameChange>({
  write: ({ formerUsername, username, ...change }, { brandName, publicUrl }) => ({
    subject: `The username of your ${brandName} account was changed`,
    paragraphs: [
      `The username of your ${brandName} account is now ${username ?? 'empty'}. It was ${formerUsername ?? 'empty'}.`,
    ],
    facts: toFacts(change),
    action: { label: 'See your profile', url: `${publicUrl}/app/account/profile` },
  }),
  examples: {
    'By the user': { ...change, formerUsername: 'nora', username: 'nora.lind' },
    'By an administrator': { ...byAdministrator, formerUsername: 'nora', username: 'nora.lind' },
  },
})

/** `label` is the name of the user at the provider. */
export interface LoginChange extends AccountChange {
  providerName: string
  label: string
}

const login = { providerName: 'Harbour ID', label: 'Nora Lind' }

export const loginLinked = defineMail<LoginChange>({
  write: ({ providerName, label, ...change }, { brandName, publicUrl }) => ({
    subject: `Sign-in method added to your ${brandName} account`,
    paragraphs: [`${label} at ${providerName} can now sign in to your ${brandName} account.`],
    facts: toFacts(change),
    action: { label: 'See your sign-in methods', url: `${publicUrl}/app/account/logins` },
  }),
  examples: { 'By the user': { ...change, ...login } },
})

export const loginUnlinked = defineMail<LoginChange>({
  write: ({ providerName, label, ...change }, { brandName, publicUrl }) => ({
    subject: `Sign-in method removed from your ${brandName} account`,
    paragraphs: [`${label} at ${providerName} can no longer sign in to your ${brandName} account.`],
    facts: toFacts(change),
    action: { label: 'See your sign-in methods', url: `${publicUrl}/app/account/logins` },
  }),
  examples: { 'By the user': { ...change, ...login }, 'By an administrator': { ...byAdministrator, ...login } },
})

export interface MovedConnection {
  serviceName: string
  label: string
  undoDays: number
  /** The path of the undo, with its token; only the former owner gets it. Null for the new owner. */
  undoPath: string | null
}

/** Neither email names the other user. */
export const connectionMoved = defineMail<MovedConnection>({
  perDay: 10,
  write: ({ serviceName, label, undoDays, undoPath }, { brandName, publicUrl }) =>
    undoPath === null
      ? {
          subject: `A ${serviceName} account was moved to your ${brandName} account`,
          paragraphs: [
            `The ${serviceName} account ${label} is now connected to your ${brandName} account. It was connected to another one, whose user has been notified and can undo this for ${undoDays} days.`,
          ],
          action: { label: 'See your connected accounts', url: `${publicUrl}/app/account/logins` },
        }
      : {
          subject: `Your ${serviceName} account was moved to another ${brandName} account`,
          paragraphs: [
            `The ${serviceName} account ${label} was connected to your ${brandName} account. A user who could sign in to it has connected it to another ${brandName} account.`,
          ],
          advice: [
            `If you do not know about this, undo the move within ${undoDays} days, and change your password at the service.`,
          ],
          action: { label: 'Undo the move', url: `${publicUrl}${undoPath}` },
          smallPrint: 'The undo works once, until the account is moved again.',
        },
  examples: {
    'To the former owner': {
      serviceName: 'Meta Horizon',
      label: 'nora_vr',
      undoDays: 7,
      undoPath: '/app/connect/metahorizon/undo#example',
    },
    'To the new owner': { serviceName: 'Meta Horizon', label: 'nora_vr', undoDays: 7, undoPath: null },
  },
})

export interface CreatedToken extends AccountChange {
  origin: MailOrigin
  id: string
  name: string
  expiresAt: string
  /** What a program with the token may do, as sentences. */
  abilities: string[]
}

export const personalTokenCreated = defineMail<CreatedToken>({
  perDay: 20,
  write: ({ name, expiresAt, abilities, ...change }, { brandName, publicUrl }) => ({
    subject: `New personal token for your ${brandName} account`,
    paragraphs: [`The personal token “${name}” was created for your account.`],
    facts: [
      ['It can', abilities.map((ability) => ability.toLowerCase()).join('; ')],
      ['Valid until', formatDay(expiresAt)],
      ...toFacts(change),
    ],
    advice: ['If you did not create it, revoke it, end your other sessions, and inform an administrator.'],
    action: { label: 'See your personal tokens', url: `${publicUrl}/app/account/tokens` },
  }),
  ends: ({ id }) => ({ personalTokenId: id }),
  examples: {
    'A new token': {
      ...change,
      origin: browser,
      id: '',
      name: 'Laptop',
      expiresAt: '2027-02-25T00:00:00.000Z',
      abilities: ['Use the account through the core interface'],
    },
  },
})

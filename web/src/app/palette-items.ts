import type { CurrentUser } from '@passport/contract/current-user'
import { guides } from '@passport/contract/guides'
import { parseSupportCode } from '@passport/contract/parse-support-code'
import type { SearchResult } from '@passport/contract/search'
import {
  BookOpen,
  Braces,
  Building2,
  Cable,
  Code,
  FileUp,
  Footprints,
  Keyboard,
  Link,
  ListTree,
  LogIn,
  LogOut,
  type LucideIcon,
  Mail,
  MailPlus,
  Monitor,
  Moon,
  Plus,
  Smartphone,
  Sun,
  UserPlus,
} from 'lucide-react'
import { copyText } from '../ui/copy.ts'
import { hasRole } from './current-user.ts'
import { descriptions } from './descriptions.ts'
import { type Destination, listDestinations } from './destinations.ts'
import { reportSuccess } from './messages.ts'
import { openShortcuts } from './open-dialog.ts'
import { copyPageCall, findPageCall } from './page-call.ts'
import { endSession } from './sign-out.ts'
import { setTheme } from './theme.ts'

/** An option of the palette: it opens a page of the app (`to`) or a document of the server (`href`), or runs an action. */
export interface PaletteItem {
  id: string
  label: string
  description: string
  icon: LucideIcon
  keys?: string
  /** Search words besides those of the label. */
  words: string
  kind: 'page' | 'action' | 'guide' | 'record'
  to?: string
  href?: string
  action?: () => void
  record?: SearchResult
}

/** The search words of each page of the navigation, and a label where its own is ambiguous without its section. */
const destinationWords: Record<string, { words: string; label?: string; description?: string }> = {
  '/': { words: 'start overview dashboard identity' },
  '/account/logins': {
    words: 'account login logins password link unlink provider google microsoft devices security activity revoke',
  },
  '/account/profile': { words: 'account name display username avatar picture photo' },
  '/account/access': { words: 'account permissions rights roles why' },
  '/account/groups': { label: 'Your groups', words: 'account teams memberships leave' },
  '/account/preferences': { words: 'account settings keys values options' },
  '/account/orgs': { label: 'Your organisations', words: 'account my orgs organizations companies memberships' },
  '/account/tokens': { words: 'account api key access bearer pat curl script revoke' },
  '/admin/users': { words: 'people persons accounts members directory disable enable delete bulk export' },
  '/admin/groups': { words: 'teams members owners directory' },
  '/admin/orgs': { words: 'orgs organizations companies customers domains directory' },
  '/admin/roles': { words: 'rights administrators developers grants directory' },
  '/admin/identity/clients': { words: 'apps clients oauth openid redirect secrets register integrate' },
  '/admin/identity/apis': { words: 'api scopes resource server audience token oauth openapi swagger' },
  '/admin/tools/tenantDiscovery': {
    words: 'microsoft entra azure domain email home realm simulator who signs in where tools',
  },
  '/admin/tools/permissions': {
    words: 'permissions definitions language spicedb zed assertions types diagram sample what if tools',
  },
  '/admin/tools/permissions/check': {
    words: 'permissions permission checker can may allowed denied why does have access tools',
  },
  '/admin/tools/permissions/lookupResources': {
    label: 'Lookup: what can you access?',
    description: 'Everything that a user has access to',
    words: 'permissions resources objects reach tools',
  },
  '/admin/tools/relations': {
    words: 'permissions relationships tuples edges graph tree table viewer add import history tools',
  },
  '/admin/entitlements': { words: 'commerce seats quantities flags features grants licences licenses plans usage' },
  '/admin/awsproducts': { words: 'aws amazon marketplace listings dimensions pricing commerce' },
  '/admin/awssubscriptions': {
    words: 'aws amazon marketplace buyers customers licences licenses agreements purchases events commerce',
  },
  '/admin/health': {
    words: 'status latency uptime monitoring outage down slow servers instances metrics errors performance system',
  },
  '/admin/audit': { words: 'logs history events changes who did activity timeline system' },
  '/admin/content': {
    words: 'static texts notice maintenance terms privacy support markdown languages translations pages system',
  },
  '/admin/branding': {
    words: 'brand logo name icon favicon colours colors accent theme appearance look support system',
  },
  '/admin/cors': { words: 'cors cross origin requests browsers stacks access-control web apps system' },
  '/admin/mail': { words: 'email emails smtp queue delivery notices templates preview test resend system' },
  '/admin/trash': { words: 'bin deleted restore undelete recover recycle system' },
  '/developer/': { label: 'Developer overview', words: 'api' },
  '/developer/preferences': { label: 'Developer preferences', words: 'settings keys values options' },
  '/developer/tokens': { words: 'api key access bearer jwt curl generate' },
  '/developer/deviceflowtest': { words: 'developer test code authorization qr' },
  '/developer/enhanceddevice': { words: 'developer test code number qr' },
}

function toPageItem({ label, to, icon, keys }: Destination): PaletteItem {
  const words = destinationWords[to]
  return {
    id: to,
    label,
    to,
    icon,
    description: descriptions[to] ?? '',
    ...(keys && { keys }),
    words: '',
    kind: 'page',
    ...words,
  }
}

const adminPages: PaletteItem[] = [
  {
    id: '/admin/audit/signins',
    label: 'Sign-in log',
    icon: LogIn,
    description: 'Sign-ins over time, and why they failed',
    words: 'signins logins failures errors attempts audit history reasons',
    kind: 'page',
  },
  {
    id: '/admin/audit/signins/trace',
    label: 'Sign-in trace',
    icon: Footprints,
    description: 'By support code, or by an error message',
    words: 'support code error message why failed steps debug signin login',
    kind: 'page',
  },
  {
    id: '/admin/tools/permissions/lookupSubjects',
    label: 'Lookup: who can access that?',
    icon: ListTree,
    description: 'Everyone with access to an object',
    words: 'permissions subjects users groups tools',
    kind: 'page',
  },
  {
    id: '/admin/users/invitations',
    label: 'Invitations',
    icon: Mail,
    description: 'Invited users and open invitations',
    words: 'invites pending resend emails',
    kind: 'page',
  },
  {
    id: '/admin/users/create',
    label: 'Create user',
    icon: UserPlus,
    description: 'With name, email and roles',
    words: 'new add person account',
    kind: 'action',
  },
  {
    id: '/admin/users/invitations/create',
    label: 'Invite by email',
    icon: MailPlus,
    description: 'Send a link to join',
    words: 'new add user person invitation',
    kind: 'action',
  },
  {
    id: '/admin/users/import',
    label: 'Import users',
    icon: FileUp,
    description: 'From a CSV file',
    words: 'upload csv bulk add new',
    kind: 'action',
  },
  {
    id: '/admin/groups/create',
    label: 'Create group',
    icon: Plus,
    description: 'With members and owners',
    words: 'new add team',
    kind: 'action',
  },
  {
    id: '/admin/orgs/create',
    label: 'Create organisation',
    icon: Building2,
    description: 'With a name and domains',
    words: 'new add org organization company customer',
    kind: 'action',
  },
  {
    id: '/admin/orgs/createentra',
    label: 'Create Entra organisation',
    icon: Building2,
    description: "From a customer's Microsoft tenant",
    words: 'new add org organization company customer azure ad tenant sso microsoft',
    kind: 'action',
  },
  {
    id: '/admin/identity/clients/create',
    label: 'Create application',
    icon: Plus,
    description: 'To sign users in, or to call the API',
    words: 'new add register app client oauth secret',
    kind: 'action',
  },
  {
    id: '/admin/identity/apis?create=true',
    label: 'Create API',
    icon: Plus,
    description: 'For which applications get tokens',
    words: 'new add identity resource server scopes audience oauth',
    kind: 'action',
  },
  {
    id: '/admin/entitlements/create',
    label: 'Create entitlement',
    icon: Plus,
    description: 'A quantity or a flag for organisations',
    words: 'new add commerce seats feature grant',
    kind: 'action',
  },
  {
    id: '/admin/awsproducts/create',
    label: 'Create product',
    icon: Plus,
    description: 'A listing in AWS Marketplace',
    words: 'new add aws amazon marketplace dimensions',
    kind: 'action',
  },
  {
    id: '/admin/awssubscriptions/create',
    label: 'Create subscription',
    icon: Plus,
    description: 'For a buyer who did not come back from AWS',
    words: 'new add aws amazon marketplace manual link licence license',
    kind: 'action',
  },
  {
    id: '/admin/roles/create',
    label: 'Create role',
    icon: Plus,
    description: 'For your own services',
    words: 'new add right',
    kind: 'action',
  },
]

const userPages: PaletteItem[] = [
  {
    id: '/account/groups/create',
    label: 'Create group',
    icon: Plus,
    description: 'With members and owners',
    words: 'new add team',
    kind: 'action',
  },
]

const actions: PaletteItem[] = [
  {
    id: '/device',
    label: 'Sign in a device',
    icon: Smartphone,
    description: 'With the code that it shows',
    words: 'pair connect approve tv headset',
    kind: 'action',
    to: '/device',
  },
  {
    id: '/connect',
    label: 'Connect an account',
    icon: Cable,
    description: 'At another service, such as Meta Horizon',
    words: 'link external quest oculus headset',
    kind: 'action',
    to: '/connect',
  },
  {
    id: 'copy-link',
    label: 'Copy link',
    icon: Link,
    description: 'The URL of this page, with its filters',
    words: 'share url address page',
    kind: 'action',
    action: async () => {
      if (await copyText(location.href)) reportSuccess('Link copied')
    },
  },
  {
    id: 'theme-light',
    label: 'Use light theme',
    icon: Sun,
    description: 'On this device',
    words: 'switch mode appearance bright colours colors',
    kind: 'action',
    action: () => setTheme('light'),
  },
  {
    id: 'theme-dark',
    label: 'Use dark theme',
    icon: Moon,
    description: 'On this device',
    words: 'switch mode appearance night colours colors',
    kind: 'action',
    action: () => setTheme('dark'),
  },
  {
    id: 'theme-system',
    label: 'Use system theme',
    icon: Monitor,
    description: 'Light or dark, as on this device',
    words: 'switch mode appearance automatic colours colors',
    kind: 'action',
    action: () => setTheme('system'),
  },
  {
    id: 'shortcuts',
    label: 'Keyboard shortcuts',
    icon: Keyboard,
    description: 'Every key, and how to turn them off',
    keys: '?',
    words: 'help hotkeys keys',
    kind: 'action',
    action: openShortcuts,
  },
  {
    id: 'sign-out',
    label: 'Sign out',
    icon: LogOut,
    description: 'On this device',
    words: 'log out logout signout leave exit quit end session',
    kind: 'action',
    action: () => void endSession(),
  },
]

const documents: PaletteItem[] = [
  {
    id: '/docs',
    label: 'Guides',
    icon: BookOpen,
    description: 'How to set up and use the service',
    words: 'help docs documentation manual',
    kind: 'guide',
    href: '/docs',
  },
  {
    id: '/docs/api',
    label: 'API reference',
    icon: Braces,
    description: 'Every call, and its OpenAPI document',
    words: 'help docs documentation openapi swagger rest endpoints http',
    kind: 'guide',
    href: '/docs/api',
  },
]

const guideItems = guides.map(
  ({ name, title, words }): PaletteItem => ({
    id: `/docs/${name}`,
    label: title,
    icon: BookOpen,
    description: 'Guide',
    words: `help docs guide ${words}`,
    kind: 'guide',
    href: `/docs/${name}`,
  }),
)

/** Returns the pages and commands of a user on the current page. */
export function listItems(user: CurrentUser): PaletteItem[] {
  const ownPages = hasRole(user, 'Passport.Admin') ? adminPages : userPages
  const pages = ownPages.map((item) => ({ ...item, to: item.id }))
  return [...listDestinations(user).map(toPageItem), ...pages, ...listCalls(), ...actions, ...documents, ...guideItems]
}

function listCalls(): PaletteItem[] {
  if (!findPageCall()) return []
  return [
    {
      id: 'copy-as-curl',
      label: 'Copy as cURL',
      icon: Code,
      description: 'The call of this page, with its filters',
      words: 'script command api request',
      kind: 'action',
      action: () => void copyPageCall(),
    },
  ]
}

/** Returns the trace of a pasted support code, for administrators. */
export function listTraces(user: CurrentUser, text: string): PaletteItem[] {
  const code = hasRole(user, 'Passport.Admin') ? parseSupportCode(text) : undefined
  if (!code) return []
  const to = `/admin/audit/signins/trace?q=${code}`
  return [
    {
      id: to,
      label: `Trace ${code}`,
      to,
      icon: Footprints,
      description: 'Every step of this sign-in',
      words: '',
      kind: 'action',
    },
  ]
}

const splitWords = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Reports whether each typed word is a prefix of a word of the text, ignoring case and accents. */
export function startsWords(text: string, typed: string): boolean {
  const words = splitWords(text)
  const typedWords = splitWords(typed)
  return typedWords.length > 0 && typedWords.every((typedWord) => words.some((word) => word.startsWith(typedWord)))
}

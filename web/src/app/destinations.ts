import type { CurrentUser } from '@passport/contract/current-user'
import {
  BookType,
  Building2,
  Code,
  House,
  KeyRound,
  KeySquare,
  Landmark,
  ListTree,
  type LucideIcon,
  MonitorSmartphone,
  ScrollText,
  Shield,
  ShieldCheck,
  ShieldQuestionMark,
  SlidersHorizontal,
  TabletSmartphone,
  Trash2,
  UserRound,
  Users,
  UsersRound,
  Waypoints,
} from 'lucide-react'
import { hasRole, type Role } from './current-user.ts'

/** A page in the navigation and the palette; `keys` are pressed one after the other. */
export interface Destination {
  label: string
  to: string
  /** Another path of the same entry. */
  alias?: string
  icon: LucideIcon
  description: string
  keys?: `g ${string}`
}

export interface Section {
  title: string
  needs?: Role
  pages: Destination[]
}

export const homePage: Destination = {
  label: 'Home',
  to: '/',
  icon: House,
  description: 'Your identity and recent activity',
  keys: 'g h',
}

/** The pages of every user's own account. */
const accountSection: Section = {
  title: 'Account',
  pages: [
    {
      label: 'Sign-in and sessions',
      to: '/account/logins',
      icon: KeySquare,
      description: 'Sign-in methods, sessions and activity',
      keys: 'g a',
    },
    { label: 'Profile', to: '/account/profile', icon: UserRound, description: 'Your display name and username' },
    {
      label: 'My access',
      to: '/account/access',
      icon: ShieldCheck,
      description: 'Your roles and where they come from',
    },
    { label: 'Your groups', to: '/account/groups', icon: UsersRound, description: 'Groups that you belong to' },
    {
      label: 'Preferences',
      to: '/account/preferences',
      icon: SlidersHorizontal,
      description: 'Values saved by apps',
      keys: 'g p',
    },
    {
      label: 'Your organisations',
      to: '/account/orgs',
      icon: Landmark,
      description: 'Organisations that you belong to',
    },
  ],
}

/** The pages open to every signed-in user. */
export const signedInPages: Destination[] = [homePage, ...accountSection.pages]

/** The side bar's sections with their required roles. A page that is not built yet has no entry. */
const sections: Section[] = [
  {
    title: 'Directory',
    needs: 'Passport.Admin',
    pages: [
      {
        label: 'Users',
        to: '/admin/users',
        icon: Users,
        description: 'Accounts and their access',
        keys: 'g u',
      },
      {
        label: 'Groups',
        to: '/admin/groups',
        icon: UsersRound,
        description: 'Members and owners',
        keys: 'g g',
      },
      {
        label: 'Organisations',
        to: '/admin/orgs',
        icon: Building2,
        description: 'Customers and their domains',
        keys: 'g o',
      },
      {
        label: 'Roles',
        to: '/admin/roles',
        icon: Shield,
        description: 'What users can do',
        keys: 'g r',
      },
    ],
  },
  {
    title: 'Permissions',
    needs: 'Passport.Admin',
    pages: [
      {
        label: 'Schema',
        to: '/admin/tools/permissions',
        icon: BookType,
        description: 'Types, relations and permissions',
        keys: 'g s',
      },
      {
        label: 'Check',
        to: '/admin/tools/permissions/check',
        icon: ShieldQuestionMark,
        description: 'Whether a user has access, and why',
        keys: 'g c',
      },
      {
        label: 'Lookup',
        to: '/admin/tools/permissions/lookupResources',
        alias: '/admin/tools/permissions/lookupSubjects',
        icon: ListTree,
        description: 'What a user can access',
        keys: 'g k',
      },
      {
        label: 'Relations',
        to: '/admin/tools/relations',
        icon: Waypoints,
        description: 'Relationships as table, tree and graph',
        keys: 'g v',
      },
    ],
  },
  {
    title: 'System',
    needs: 'Passport.Admin',
    pages: [
      {
        label: 'Audit',
        to: '/admin/audit',
        icon: ScrollText,
        description: 'Changes and who made them',
        keys: 'g l',
      },
      {
        label: 'Trash',
        to: '/admin/trash',
        icon: Trash2,
        description: 'Deleted items you can restore',
        keys: 'g t',
      },
    ],
  },
  {
    title: 'Developer',
    needs: 'Passport.Developer',
    pages: [
      {
        label: 'Overview',
        to: '/developer/',
        icon: Code,
        description: 'Tokens and device sign-in',
        keys: 'g d',
      },
      {
        label: 'Preferences',
        to: '/developer/preferences',
        icon: SlidersHorizontal,
        description: 'Key-value pairs of your account',
      },
      {
        label: 'Tokens',
        to: '/developer/tokens',
        icon: KeyRound,
        description: 'Temporary API tokens',
      },
      {
        label: 'Device flow',
        to: '/developer/deviceflowtest',
        icon: MonitorSmartphone,
        description: 'Sign in a device with a code',
      },
      {
        label: 'Enhanced device',
        to: '/developer/enhanceddevice',
        icon: TabletSmartphone,
        description: 'Device sign-in with number matching',
      },
    ],
  },
]

/** Returns the sections that a user may open. */
export const listSections = (user: CurrentUser | null): Section[] =>
  sections.filter(({ needs }) => needs === undefined || hasRole(user, needs))

/** Returns every page that a user may open. */
export const listDestinations = (user: CurrentUser): Destination[] => [
  ...signedInPages,
  ...listSections(user).flatMap(({ pages }) => pages),
]

/** Returns the entry that a path belongs to, which is the one with the longest matching path, and its section. */
export function findPlace(user: CurrentUser, path: string): { page: Destination; section?: string } | undefined {
  if (path === homePage.to) return { page: homePage }
  const isUnder = (base: string) => path === base || path.startsWith(base.replace(/\/?$/, '/'))
  const places = [accountSection, ...listSections(user)].flatMap(({ title, pages }) =>
    pages.flatMap((page) =>
      [page.to, ...(page.alias ? [page.alias] : [])].filter(isUnder).map((base) => ({ page, section: title, base })),
    ),
  )
  return places.toSorted((a, b) => b.base.length - a.base.length)[0]
}

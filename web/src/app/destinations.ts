import type { CurrentUser } from '@passport/contract/current-user'
import {
  Activity,
  AppWindow,
  AtSign,
  BadgeCheck,
  BookType,
  Braces,
  Building2,
  Code,
  FileText,
  Globe,
  House,
  KeyRound,
  KeySquare,
  Landmark,
  ListTree,
  type LucideIcon,
  MonitorSmartphone,
  Package,
  Palette,
  ScanSearch,
  ScrollText,
  Shield,
  ShieldCheck,
  ShieldQuestionMark,
  SlidersHorizontal,
  Store,
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
      keys: 'g a',
    },
    { label: 'Profile', to: '/account/profile', icon: UserRound },
    {
      label: 'My access',
      to: '/account/access',
      icon: ShieldCheck,
    },
    { label: 'Groups', to: '/account/groups', icon: UsersRound },
    {
      label: 'Preferences',
      to: '/account/preferences',
      icon: SlidersHorizontal,
      keys: 'g p',
    },
    {
      label: 'Organisations',
      to: '/account/orgs',
      icon: Landmark,
    },
    { label: 'Personal tokens', to: '/account/tokens', icon: KeyRound },
  ],
}

/** The pages open to every signed-in user. */
export const signedInPages: Destination[] = [homePage, ...accountSection.pages]

/** The sidebar's sections with their required roles. */
const sections: Section[] = [
  {
    title: 'Directory',
    needs: 'Passport.Admin',
    pages: [
      {
        label: 'Users',
        to: '/admin/users',
        icon: Users,
        keys: 'g u',
      },
      {
        label: 'Groups',
        to: '/admin/groups',
        icon: UsersRound,
        keys: 'g g',
      },
      {
        label: 'Organisations',
        to: '/admin/orgs',
        icon: Building2,
        keys: 'g o',
      },
      {
        label: 'Roles',
        to: '/admin/roles',
        icon: Shield,
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
        keys: 'g s',
      },
      {
        label: 'Permission checker',
        to: '/admin/tools/permissions/check',
        icon: ShieldQuestionMark,
        keys: 'g c',
      },
      {
        label: 'Lookup',
        to: '/admin/tools/permissions/lookupResources',
        alias: '/admin/tools/permissions/lookupSubjects',
        icon: ListTree,
        keys: 'g k',
      },
      {
        label: 'Relation viewer',
        to: '/admin/tools/relations',
        icon: Waypoints,
        keys: 'g v',
      },
    ],
  },
  {
    title: 'Sign-in',
    needs: 'Passport.Admin',
    pages: [
      {
        label: 'Applications',
        to: '/admin/identity/clients',
        icon: AppWindow,
        keys: 'g i',
      },
      {
        label: 'Identity APIs',
        to: '/admin/identity/apis',
        icon: Braces,
        keys: 'g n',
      },
      {
        label: 'Tenant discovery',
        to: '/admin/tools/tenantDiscovery',
        icon: ScanSearch,
        keys: 'g e',
      },
    ],
  },
  {
    title: 'Commerce',
    needs: 'Passport.Admin',
    pages: [
      {
        label: 'Entitlements',
        to: '/admin/entitlements',
        icon: BadgeCheck,
        keys: 'g f',
      },
      {
        label: 'Products',
        to: '/admin/awsproducts',
        icon: Store,
        keys: 'g m',
      },
      {
        label: 'Subscriptions',
        to: '/admin/awssubscriptions',
        icon: Package,
        keys: 'g b',
      },
    ],
  },
  {
    title: 'System',
    needs: 'Passport.Admin',
    pages: [
      {
        label: 'Health',
        to: '/admin/health',
        icon: Activity,
        keys: 'g y',
      },
      {
        label: 'Audit',
        to: '/admin/audit',
        icon: ScrollText,
        keys: 'g l',
      },
      {
        label: 'Content',
        to: '/admin/content',
        icon: FileText,
        keys: 'g w',
      },
      {
        label: 'Branding',
        to: '/admin/branding',
        icon: Palette,
        keys: 'g j',
      },
      {
        label: 'Allowed origins',
        to: '/admin/cors',
        icon: Globe,
        keys: 'g z',
      },
      {
        label: 'Mail',
        to: '/admin/mail',
        icon: AtSign,
        keys: 'g x',
      },
      {
        label: 'Trash',
        to: '/admin/trash',
        icon: Trash2,
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
        keys: 'g d',
      },
      {
        label: 'User preferences',
        to: '/developer/preferences',
        icon: SlidersHorizontal,
      },
      {
        label: 'Developer tokens',
        to: '/developer/tokens',
        icon: KeyRound,
      },
      {
        label: 'Device flow test',
        to: '/developer/deviceflowtest',
        icon: MonitorSmartphone,
      },
      {
        label: 'Enhanced device flow',
        to: '/developer/enhanceddevice',
        icon: TabletSmartphone,
      },
    ],
  },
]

/** Returns the pages of a section of the sidebar. */
export const listPages = (title: string): Destination[] =>
  sections.find((section) => section.title === title)?.pages ?? []

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

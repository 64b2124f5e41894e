import type { CurrentUser } from '@passport/contract/current-user'
import {
  Activity,
  BadgeCheck,
  Building2,
  Code,
  FileText,
  House,
  KeyRound,
  type LucideIcon,
  MonitorSmartphone,
  Package,
  Plug,
  Receipt,
  ScrollText,
  Shield,
  SlidersHorizontal,
  TabletSmartphone,
  Trash2,
  UserRound,
  Users,
  UsersRound,
  Wrench,
} from 'lucide-react'
import { hasRole, type Role } from './current-user.ts'

/** A page in the navigation and the palette; `keys` are pressed one after the other. */
export interface Destination {
  label: string
  to: string
  icon: LucideIcon
  description: string
  keys?: `g ${string}`
  /** The label of its tile on the home page of users who may open it. */
  tile?: string
}

export interface Section {
  title: string
  needs?: Role
  pages: Destination[]
}

/** The pages open to every signed-in user. */
export const signedInPages: Destination[] = [
  { label: 'Home', to: '/', icon: House, description: 'Your identity and recent activity', keys: 'g h' },
  {
    label: 'Account',
    to: '/account/logins',
    icon: UserRound,
    description: 'Sign-in methods, sessions and activity',
    keys: 'g a',
  },
  {
    label: 'Preferences',
    to: '/account/preferences',
    icon: SlidersHorizontal,
    description: 'Values saved by apps',
    keys: 'g p',
  },
]

/** The side bar's sections with their required roles. */
const sections: Section[] = [
  {
    title: 'Directory',
    needs: 'Passport.Admin',
    pages: [
      {
        label: 'Users',
        to: '/admin/users',
        tile: 'Users',
        icon: Users,
        description: 'Accounts and their access',
        keys: 'g u',
      },
      {
        label: 'Groups',
        to: '/admin/groups',
        tile: 'Groups',
        icon: UsersRound,
        description: 'Members and owners',
        keys: 'g g',
      },
      {
        label: 'Organisations',
        to: '/admin/orgs',
        tile: 'Organisations',
        icon: Building2,
        description: 'Customers and their domains',
        keys: 'g o',
      },
      {
        label: 'Roles',
        to: '/admin/roles',
        tile: 'Roles',
        icon: Shield,
        description: 'What users can do',
        keys: 'g r',
      },
    ],
  },
  {
    title: 'Access',
    needs: 'Passport.Admin',
    pages: [
      {
        label: 'Entitlements',
        to: '/admin/entitlements',
        icon: BadgeCheck,
        description: 'Plans and seats per organisation',
        keys: 'g e',
      },
      {
        label: 'Identity APIs',
        to: '/admin/identity/apis',
        icon: Plug,
        description: 'Scopes and clients',
        keys: 'g i',
      },
      {
        label: 'Tools',
        to: '/admin/tools',
        tile: 'Tools',
        icon: Wrench,
        description: 'Tenants, permissions, relations',
        keys: 'g t',
      },
    ],
  },
  {
    title: 'Marketplace',
    needs: 'Passport.Admin',
    pages: [
      { label: 'Products', to: '/admin/awsproducts', icon: Package, description: 'AWS Marketplace listings' },
      {
        label: 'Subscriptions',
        to: '/admin/awssubscriptions',
        icon: Receipt,
        description: 'AWS Marketplace purchases',
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
        tile: 'Health',
        icon: Activity,
        description: "Status of Passport's services",
      },
      { label: 'Audit', to: '/admin/audit', icon: ScrollText, description: 'Changes and who made them', keys: 'g l' },
      { label: 'Trash', to: '/admin/trash', icon: Trash2, description: 'Deleted items you can restore' },
      { label: 'Static content', to: '/admin/content', icon: FileText, description: 'Texts shown to users' },
    ],
  },
  {
    title: 'Developer',
    needs: 'Passport.Developer',
    pages: [
      {
        label: 'Overview',
        to: '/developer/',
        tile: 'Developer',
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
        tile: 'Tokens',
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
export const listDestinations = (user: CurrentUser | null): Destination[] =>
  user ? [...signedInPages, ...listSections(user).flatMap(({ pages }) => pages)] : signedInPages.slice(0, 1)

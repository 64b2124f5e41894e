import type { CurrentUser } from '@passport/contract/current-user'
import {
  Activity,
  BadgeCheck,
  Building2,
  Code,
  FileText,
  KeyRound,
  MonitorSmartphone,
  Package,
  Plug,
  Receipt,
  ScrollText,
  Shield,
  SlidersHorizontal,
  TabletSmartphone,
  Trash2,
  Users,
  UsersRound,
  Wrench,
} from 'lucide-react'
import { hasRole } from './current-user.ts'
import { type Destination, ownPages, type Section } from './own-pages.ts'

/** The side bar: each section for those who have its role. Loaded for them only. */
const sections: Section[] = [
  {
    title: 'Directory',
    needs: 'Passport.Admin',
    pages: [
      { label: 'Users', to: '/admin/users', tile: 'Users', icon: Users, about: 'People and their access', keys: 'g u' },
      {
        label: 'Groups',
        to: '/admin/groups',
        tile: 'Groups',
        icon: UsersRound,
        about: 'Members and owners',
        keys: 'g g',
      },
      {
        label: 'Organisations',
        to: '/admin/orgs',
        tile: 'Organisations',
        icon: Building2,
        about: 'Customers and their domains',
        keys: 'g o',
      },
      { label: 'Roles', to: '/admin/roles', tile: 'Roles', icon: Shield, about: 'What people may do', keys: 'g r' },
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
        about: 'What organisations have',
        keys: 'g e',
      },
      { label: 'Identity APIs', to: '/admin/identity/apis', icon: Plug, about: 'Scopes and clients', keys: 'g i' },
      {
        label: 'Tools',
        to: '/admin/tools',
        tile: 'Tools',
        icon: Wrench,
        about: 'Tenants, permissions, relations',
        keys: 'g t',
      },
    ],
  },
  {
    title: 'Marketplace',
    needs: 'Passport.Admin',
    pages: [
      { label: 'Products', to: '/admin/awsproducts', icon: Package, about: 'What is sold' },
      { label: 'Subscriptions', to: '/admin/awssubscriptions', icon: Receipt, about: 'What was bought' },
    ],
  },
  {
    title: 'System',
    needs: 'Passport.Admin',
    pages: [
      { label: 'Health', to: '/admin/health', tile: 'Health', icon: Activity, about: 'How the parts are' },
      { label: 'Audit', to: '/admin/audit', icon: ScrollText, about: 'Who did what', keys: 'g l' },
      { label: 'Bin', to: '/admin/bin', icon: Trash2, about: 'What was deleted and can be restored' },
      { label: 'Static content', to: '/admin/content', icon: FileText, about: 'Texts that people see' },
    ],
  },
  {
    title: 'Developer',
    needs: 'Passport.Developer',
    pages: [
      {
        label: 'Overview',
        to: '/developer/',
        tile: 'Developer area',
        icon: Code,
        about: 'What builders need',
        keys: 'g d',
      },
      {
        label: 'Preferences',
        to: '/developer/preferences',
        icon: SlidersHorizontal,
        about: 'Key and value pairs of your account',
      },
      {
        label: 'Tokens',
        to: '/developer/tokens',
        tile: 'Tokens',
        icon: KeyRound,
        about: 'A token for an hour of development',
      },
      {
        label: 'Device flow',
        to: '/developer/deviceflowtest',
        icon: MonitorSmartphone,
        about: 'Sign in a device by code',
      },
      {
        label: 'Enhanced device',
        to: '/developer/enhanceddevice',
        icon: TabletSmartphone,
        about: 'The same with a second screen',
      },
    ],
  },
]

/** The sections that a person has the roles for. */
export const sectionsFor = (user: CurrentUser | null): Section[] =>
  sections.filter(({ needs }) => needs === undefined || hasRole(user, needs))

/** Every page that a person can jump to. */
export const destinationsFor = (user: CurrentUser | null): Destination[] =>
  user ? [...ownPages, ...sectionsFor(user).flatMap(({ pages }) => pages)] : ownPages.slice(0, 1)

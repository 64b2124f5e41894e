import type { LucideIcon } from 'lucide-react'
import { House, SlidersHorizontal, UserRound } from 'lucide-react'
import type { Role } from './current-user.ts'

/** A page to jump to; `keys` are pressed in sequence. */
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

/** The pages open to every signed-in user; those that need a role are in `role-pages.ts`. */
export const ownPages: Destination[] = [
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

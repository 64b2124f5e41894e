import type { LucideIcon } from 'lucide-react'
import { House, SlidersHorizontal, UserRound } from 'lucide-react'
import type { Role } from './current-user.ts'

/** A page that can be jumped to; `keys` are pressed one after the other. */
export interface Destination {
  label: string
  to: string
  icon: LucideIcon
  about: string
  keys?: `g ${string}`
  /** Shown on the home page of those who may open it, by this name. */
  tile?: string
}

export interface Section {
  title: string
  needs?: Role
  pages: Destination[]
}

/** What is open to every signed-in person; the pages that need a role are in `role-pages.ts`. */
export const ownPages: Destination[] = [
  { label: 'Home', to: '/', icon: House, about: 'Who you are here', keys: 'g h' },
  { label: 'Account', to: '/account/logins', icon: UserRound, about: 'Logins, sessions and activity', keys: 'g a' },
  {
    label: 'Preferences',
    to: '/account/preferences',
    icon: SlidersHorizontal,
    about: 'What apps remember for you',
    keys: 'g p',
  },
]

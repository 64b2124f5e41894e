import type { CurrentUser } from '@passport/contract/current-user'
import { useNavigate } from '@tanstack/react-router'
import { LogOut, Menu as MenuIcon, Monitor, Moon, Search, SlidersHorizontal, Sun, UserRound } from 'lucide-react'
import { Avatar } from '../ui/Avatar.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { Menu } from '../ui/Menu.tsx'
import { Brand } from './Brand.tsx'
import { Breadcrumb } from './Breadcrumb.tsx'
import { HelpMenu } from './HelpMenu.tsx'
import { commandKey, KeyCaps } from './KeyCaps.tsx'
import { openPalette } from './open-dialog.ts'
import { useCurrentUser } from './page-user.ts'
import { useSignInUrl } from './sign-in-url.ts'
import { endSession } from './sign-out.ts'
import { setTheme, type Theme, useTheme } from './theme.ts'

interface TopBarProps {
  /** Opens the sidebar on narrow screens; undefined without a sidebar. */
  onOpenNavigation: (() => void) | undefined
  isNavigationOpen: boolean
}

export function TopBar({ onOpenNavigation, isNavigationOpen }: TopBarProps) {
  const user = useCurrentUser()
  const signInUrl = useSignInUrl()
  return (
    <header className="sticky top-0 z-20 flex h-13 items-center gap-1.5 border-b border-line bg-[color-mix(in_oklch,var(--paper)_88%,transparent)] px-3 backdrop-blur md:px-8">
      {onOpenNavigation ? (
        <button
          type="button"
          className="btn btn-ghost px-2 nav:hidden"
          aria-label="Open navigation"
          aria-expanded={isNavigationOpen}
          onClick={onOpenNavigation}
        >
          <MenuIcon size={18} />
        </button>
      ) : (
        <>
          <Brand />
          {user && (
            <span aria-hidden="true" className="ml-1 text-[13px] text-ink3 max-sm:hidden">
              /
            </span>
          )}
        </>
      )}
      {user && <Breadcrumb user={user} />}
      <div className="ml-auto flex shrink-0 items-center gap-1">
        {user && (
          <>
            <button
              type="button"
              className="btn px-2.5 text-[13px] font-normal text-ink3 sm:mr-1 sm:w-[260px] sm:justify-start"
              aria-keyshortcuts="Meta+K Control+K"
              onClick={openPalette}
            >
              <Search size={15} className="shrink-0" />
              <span className="max-sm:sr-only">Search or run a command</span>
              <KeyCaps keys={`${commandKey} K`} className="ml-auto max-sm:hidden" />
            </button>
            <HelpMenu />
          </>
        )}
        <ThemeMenu />
        {user ? (
          <AccountMenu claims={user.claims} />
        ) : (
          <a className={buttonClass()} href={signInUrl}>
            Sign in
          </a>
        )}
      </div>
    </header>
  )
}

const themes: { theme: Theme; label: string; Icon: typeof Sun }[] = [
  { theme: 'system', label: 'System theme', Icon: Monitor },
  { theme: 'light', label: 'Light', Icon: Sun },
  { theme: 'dark', label: 'Dark', Icon: Moon },
]

function ThemeMenu() {
  const current = useTheme()
  const { label, Icon } = themes.find(({ theme }) => theme === current) ?? { label: '', Icon: Monitor }
  return (
    <Menu
      label={`Theme: ${label}`}
      trigger={<Icon size={17} />}
      items={themes.map(({ theme, label, Icon }) => ({
        label,
        icon: <Icon size={16} />,
        isChosen: theme === current,
        onSelect: () => setTheme(theme),
      }))}
    />
  )
}

function AccountMenu({ claims }: Pick<CurrentUser, 'claims'>) {
  const navigate = useNavigate()
  const name = claims.name ?? claims.preferred_username ?? 'Account'
  return (
    <Menu
      label={`Account menu of ${name}`}
      trigger={<Avatar id={claims.sub} name={name} picture={claims.picture} />}
      items={[
        { label: 'Account', icon: <UserRound size={16} />, onSelect: () => void navigate({ to: '/account/logins' }) },
        {
          label: 'Preferences',
          icon: <SlidersHorizontal size={16} />,
          onSelect: () => void navigate({ to: '/account/preferences' }),
        },
        { label: 'Sign out', icon: <LogOut size={16} />, isDanger: true, onSelect: () => void endSession() },
      ]}
    />
  )
}

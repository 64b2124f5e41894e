import { useNavigate } from '@tanstack/react-router'
import { LogOut, Menu as MenuIcon, Monitor, Moon, Search, SlidersHorizontal, Sun, UserRound } from 'lucide-react'
import { buttonClass } from '../ui/Button.tsx'
import { Identicon } from '../ui/Identicon.tsx'
import { Menu } from '../ui/Menu.tsx'
import { Brand } from './Brand.tsx'
import { useCurrentUser } from './page-user.ts'
import { openPalette } from './palette-store.ts'
import { signInUrl } from './return-url.ts'
import { endSession } from './sign-out.ts'
import { setTheme, type Theme, useTheme } from './theme.ts'

interface TopBarProps {
  /** Opens the side bar on narrow screens; undefined without a side bar. */
  onOpenNavigation: (() => void) | undefined
  isNavigationOpen: boolean
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

export function TopBar({ onOpenNavigation, isNavigationOpen }: TopBarProps) {
  const user = useCurrentUser()
  return (
    <header className="sticky top-0 z-20 flex h-14 items-center gap-1.5 border-b border-line bg-[color-mix(in_oklch,var(--paper)_88%,transparent)] px-3 backdrop-blur md:px-8">
      {onOpenNavigation ? (
        <button
          type="button"
          className="btn btn-ghost px-2 md:hidden"
          aria-label="Open navigation"
          aria-expanded={isNavigationOpen}
          onClick={onOpenNavigation}
        >
          <MenuIcon size={18} />
        </button>
      ) : (
        <Brand className="mr-2" />
      )}
      {user && (
        <button
          type="button"
          className="btn min-w-0 flex-1 justify-start text-ink3 sm:max-w-80"
          aria-keyshortcuts="Meta+K Control+K"
          onClick={openPalette}
        >
          <Search size={15} className="shrink-0" />
          <span className="truncate">Search or jump to</span>
          <kbd className="ml-auto rounded border border-line px-1 font-mono text-[11px] max-sm:hidden">
            {isMac ? '⌘K' : 'Ctrl K'}
          </kbd>
        </button>
      )}
      <div className="ml-auto flex items-center gap-1">
        <ThemeMenu />
        {user ? (
          <AccountMenu sub={user.claims.sub} name={user.claims.name ?? user.claims.preferred_username ?? 'Account'} />
        ) : (
          <a className={buttonClass('primary')} href={signInUrl('/app/')}>
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

function AccountMenu({ sub, name }: { sub: string; name: string }) {
  const navigate = useNavigate()
  return (
    <Menu
      label={`Account menu of ${name}`}
      trigger={<Identicon seed={sub} size={28} />}
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

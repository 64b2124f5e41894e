import { getVersion } from '@passport/contract/info'
import { useQuery } from '@tanstack/react-query'
import { BookOpen, Braces, Info, Keyboard, LibraryBig } from 'lucide-react'
import { useState } from 'react'
import { copyText } from '../ui/copy.ts'
import { Menu } from '../ui/Menu.tsx'
import { query } from './api.ts'
import { reportSuccess } from './messages.ts'
import { openShortcuts } from './open-dialog.ts'

/** Guides, API reference, keyboard shortcuts and the running version, which is copied for a support request. */
export function HelpMenu() {
  const [wasOpened, setOpened] = useState(false)
  const { data, isError } = useQuery({
    ...query(getVersion, {}),
    enabled: wasOpened,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const version = data?.informationalVersion
  async function copyVersion() {
    if (version && (await copyText(version))) reportSuccess('Version copied')
  }
  return (
    <Menu
      label="Help"
      trigger={<BookOpen size={17} />}
      className="btn btn-ghost px-2 max-sm:hidden"
      onOpen={() => setOpened(true)}
      items={[
        { label: 'Guides', icon: <LibraryBig size={16} />, href: '/docs' },
        { label: 'API reference', icon: <Braces size={16} />, href: '/docs/api' },
        { label: 'Keyboard shortcuts', icon: <Keyboard size={16} />, onSelect: openShortcuts },
        {
          label: `Version ${version ?? (isError ? 'unknown' : '…')}`,
          icon: <Info size={16} />,
          onSelect: () => void copyVersion(),
        },
      ]}
    />
  )
}

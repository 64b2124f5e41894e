import { ChevronDown, Code, Link, MoreHorizontal } from 'lucide-react'
import { reportSuccess } from '../app/messages.ts'
import { copyText } from '../ui/copy.ts'
import { Menu, type MenuItem } from '../ui/Menu.tsx'

interface PageMenuProps {
  /** The other actions of the page. */
  items?: MenuItem[]
  /** The item that copies the configuration that the page edits; none until it can be copied. */
  copyConfig?: MenuItem | undefined
  /** Whether the page has a call, see `app/page-calls.ts`. */
  hasCall?: boolean
  /** The page of a record: the menu has its actions, and a word on the button. */
  isOfRecord?: boolean
  /** Classes of the button besides its own. */
  className?: string | undefined
}

/** Reports whether the page is one for administrators; other pages have the same lists and forms, without the menu. */
export const isForAdministrators = (): boolean => location.pathname.startsWith('/app/admin/')

const loadPageCall = () => import('../app/page-call.ts')

/**
 * The menu in the head of every page for administrators: its other actions, then those that copy the page as a link, as a
 * call and as configuration, with the dangerous ones last.
 */
export function PageMenu({ items = [], copyConfig, hasCall = true, isOfRecord, className = '' }: PageMenuProps) {
  const all: MenuItem[] = [
    ...items,
    { label: 'Copy link', icon: <Link size={16} />, onSelect: () => void copyLink() },
    ...(hasCall ? [{ label: 'Copy as cURL', icon: <Code size={16} />, onSelect: () => void copyCall() }] : []),
    ...(copyConfig ? [copyConfig] : []),
  ]
  return (
    <Menu
      label={isOfRecord ? 'Actions' : 'More actions'}
      className={`btn ${isOfRecord ? '' : 'px-2.5 pointer-coarse:w-11'} ${className}`}
      trigger={
        isOfRecord ? (
          <>
            Actions
            <ChevronDown size={15} />
          </>
        ) : (
          <MoreHorizontal size={16} />
        )
      }
      items={all.sort((a, b) => Number(a.isDanger ?? 0) - Number(b.isDanger ?? 0))}
      // In advance: browsers allow copying only directly after a press.
      onOpen={() => void (hasCall && loadPageCall())}
    />
  )
}

/** Copies a URL and reports it. */
export async function copyLink(url = location.href): Promise<void> {
  if (await copyText(url)) reportSuccess('Link copied')
}

const copyCall = async () => (await loadPageCall()).copyPageCall()

import type { LucideIcon } from 'lucide-react'

interface GuideLinkProps {
  href: string
  icon: LucideIcon
  title: string
  summary: string
}

/** A guide in a list of a card. */
export function GuideLink({ href, icon: Icon, title, summary }: GuideLinkProps) {
  return (
    <li className="border-t border-hair first:border-0">
      <a href={href} className="group flex gap-3 px-4 py-2 hover:bg-well sm:px-[18px]">
        <Icon size={17} strokeWidth={1.75} className="mt-0.5 shrink-0 text-ink3" />
        <span className="min-w-0">
          <span className="block font-[540] group-hover:underline">{title}</span>
          <span className="block text-[13px] text-ink2">{summary}</span>
        </span>
      </a>
    </li>
  )
}

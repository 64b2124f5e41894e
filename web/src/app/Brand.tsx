import { Link } from '@tanstack/react-router'
import { Identicon } from '../ui/Identicon.tsx'
import { brandName } from './brand.ts'

/** The brand, with a link to the home page. */
export function Brand({ className = '' }: { className?: string }) {
  return (
    <Link to="/" className={`flex h-14 items-center gap-2.5 font-[640] tracking-[-.01em] ${className}`}>
      <Identicon seed="stage" size={26} isGold />
      <span className="max-sm:sr-only">{brandName}</span>
    </Link>
  )
}

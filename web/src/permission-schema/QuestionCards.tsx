import { Link } from '@tanstack/react-router'
import { ArrowRight, ListTree, type LucideIcon, ShieldQuestion, UsersRound } from 'lucide-react'

const questions: { to: string; title: string; description: string; icon: LucideIcon }[] = [
  {
    to: '/admin/tools/permissions/check',
    title: 'Permission Checker',
    description: 'Test whether a subject has a permission, and see why.',
    icon: ShieldQuestion,
  },
  {
    to: '/admin/tools/permissions/lookupResources',
    title: 'What can you access?',
    description: 'List everything a subject can access.',
    icon: ListTree,
  },
  {
    to: '/admin/tools/permissions/lookupSubjects',
    title: 'Who can access that?',
    description: 'List everyone who can access a resource.',
    icon: UsersRound,
  },
]

/** Links to the three questions. */
export function QuestionCards() {
  return (
    <>
      <ul className="mt-6 grid gap-3 md:grid-cols-3">
        {questions.map(({ to, title, description, icon: Icon }) => (
          <li
            key={to}
            className="relative rounded-box border border-line bg-card px-5 py-4 transition-colors hover:bg-well focus-within:bg-well"
          >
            <Icon size={20} strokeWidth={1.75} className="text-ink3" aria-hidden="true" />
            <p className="mt-2 text-[15px] font-[620]">
              {/* The whole card is the link. */}
              <Link to={to as never} className="after:absolute after:inset-0 after:rounded-box">
                {title}
              </Link>
            </p>
            <p className="mt-0.5 text-ink2">{description}</p>
          </li>
        ))}
      </ul>
      <p className="mt-3">
        <Link to="/admin/tools/relations" className="link inline-flex items-center gap-1">
          Relation Viewer
          <ArrowRight size={14} aria-hidden="true" />
        </Link>{' '}
        <span className="text-ink2">Browse the relationships behind every permission.</span>
      </p>
    </>
  )
}

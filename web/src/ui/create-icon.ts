import { createElement, type SVGProps } from 'react'

/** An element of an icon, such as a `path`, and its attributes. */
export type IconShape = [element: string, attributes: Record<string, string>]

interface IconProps extends SVGProps<SVGSVGElement> {
  size?: number | string
}

/** Creates the component of an icon, with the markup and defaults of lucide-react: 24 px wide, lines of 2 px. */
export function createIcon(shapes: IconShape[]) {
  return ({ size = 24, color = 'currentColor', ...props }: IconProps) =>
    createElement(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        width: size,
        height: size,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: color,
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        'aria-hidden': isNamed(props) ? undefined : true,
        ...props,
      },
      ...shapes.map(([element, attributes]) => createElement(element, attributes)),
    )
}

/** Reports whether an icon has an accessible name or role; any other is decoration. */
const isNamed = (props: object) =>
  Object.entries(props).some(([name, value]) => value != null && /^(?:aria-|role$|title$)/.test(name))

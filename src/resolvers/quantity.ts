/** Quantities as Kubernetes writes them, such as `125m`, `2`, `512Mi` or `1e3`. */
const quantity = /^\+?(\d+(?:\.\d*)?|\.\d+)(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d{1,3}))?$/;

const powersOfTwo = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const powersOfTen: Readonly<Record<string, number>> = {
  ...{ n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 },
};

/** The unit in which a field shows a quantity: the quantity is multiplied by 10^`power`, and divided by `divisor`. */
interface Unit {
  readonly power: number;
  readonly divisor: number;
}

/**
 * Makes the reader of a member that is a number or a quantity as text. A number is returned unchanged. A text that is not a
 * quantity is an error with the executor's message: as a plain number it could be wrong by orders of magnitude.
 */
const quantityIn =
  ({ power, divisor }: Unit) =>
  <Value>(value: Value): Value | number => {
    if (typeof value !== 'string') return value;
    const [, number, binary, suffix, exponent] = quantity.exec(value) ?? [];
    if (number === undefined) throw new TypeError('Quantity cannot represent this value');
    const factor = binary === undefined ? 1 : 1024 ** (powersOfTwo.indexOf(binary) + 1);
    const tens = powersOfTen[suffix ?? ''] ?? Number(exponent ?? 0);
    // Changing the exponent in the text is exact. A product is not: 0.07 * 1000 is above 70.
    return (Number(`${number}e${tens + power}`) * factor) / divisor;
  };

/** CPU, in thousandths of a core. */
export const millicores = quantityIn({ power: 3, divisor: 1 });

/** Memory, in GB of 2^30 bytes, the service's unit. */
export const gigabytes = quantityIn({ power: 0, divisor: 1024 ** 3 });

let total = 0;

export function add(price) {
  total += price;
}

export function sum() {
  return total;
}

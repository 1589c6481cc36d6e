library shop;

import 'dart:convert' as convert show jsonDecode;
export 'src/prices.dart';
part 'order.g.dart';

const maxLines = 100;
final String greeting = 'hello';
var counter = 0, hits;
int _hidden = 1;
late final Map<String, int> prices;

/// What a customer ordered.
@immutable
abstract class Order<T extends Priced> extends Entity with Logged implements Comparable<Order> {
  final int id;
  static const zero = 0;
  late String _note, label;
  List<T>? lines = [];

  Order(this.id, {this.lines}) : super(id) {
    counter++;
  }

  Order.empty(this.id);

  const Order._internal(this.id);

  factory Order.fromJson(Map<String, Object?> json) {
    return Order(json['id'] as int);
  }

  factory Order.remote() = RemoteOrder;

  /// In cents.
  int get total => lines!.fold(0, (sum, it) => sum + it.price);

  set note(String text) {
    _note = text;
  }

  Future<void> load(Uri from, {int retries = 3}) async {
    final local = await fetch(from);
    print(local);
  }

  static Order<T> make<T extends Priced>(int id) => Order(id);

  Order operator +(Order other) => this;

  @override
  String toString() {
    return 'order $id';
  }

  void close();

  external void native();
}

mixin Logged on Entity {
  void log(String text) => print(text);
}

mixin class Tagged {}

extension Shouting on String {
  String shout() => toUpperCase();
}

extension type Id(int value) {
  bool get isValid => value > 0;
}

enum Suit {
  hearts('H'),
  spades('S');

  const Suit(this.letter);
  final String letter;

  bool get red => this == hearts;
}

typedef Handler<T> = void Function(T event);
typedef int Compare(int a, int b);

sealed class Shape {}

class Circle = Shape with Tagged;

int twice(int n) {
  int inner(int x) => x + x;
  return inner(n);
}

String get version => '1.2';

void _secret() {}

#import <UIKit/UIKit.h>
#import "Order.h"
@import Foundation;
#define MAX_ORDERS 10

NSString *const OrderPaid = @"paid";
@class Line;
@protocol Forward;

typedef NS_ENUM(NSInteger, OrderState) {
  OrderStateOpen,
  OrderStatePaid = 2,
};

typedef void (^OrderBlock)(Order *order);

/// Pays orders.
@protocol Payer <NSObject>
- (BOOL)pay:(Order *)order;
@optional
@property (nonatomic, copy) NSString *currency;
@end

@interface Order : NSObject {
  int hidden;
}
@property (nonatomic, copy, nullable) void (^onPaid)(BOOL done);
@property (nonatomic, strong) NSArray<Line *> *lines NS_SWIFT_NAME(items);
+ (instancetype)orderWithTotal:(double)total
                         state:(OrderState)state;
@end

@implementation Order

- (void)cancel {
  [self notify:@"@end"];
}

- (void)load:(NSURL *)url
     success:(void (^)(NSURLSessionTask *task, id _Nullable body))success {
  success(nil, nil);
}

@end

@interface UIColor (Shop)
+ (UIColor *)shopColor;
@end

static double sum(NSArray *lines) {
  return 0;
}
